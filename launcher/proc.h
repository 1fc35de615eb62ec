#ifndef LAUNCHER_PROC_H
#define LAUNCHER_PROC_H
#include "launcher.h"
#define proc_mismatch mismatch
#endif
