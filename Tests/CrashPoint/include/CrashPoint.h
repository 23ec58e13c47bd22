#ifndef CRASH_POINT_H
#define CRASH_POINT_H

/* Nothing is called by name: see CrashPoint.c. */

#endif
