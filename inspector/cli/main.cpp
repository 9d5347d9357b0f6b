#include "cli/run.h"

int main(int argc, char** argv) { return ocilint::cli::run(argc, argv); }
