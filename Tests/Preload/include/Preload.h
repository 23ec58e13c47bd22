#ifndef PRELOAD_H
#define PRELOAD_H

/* Nothing is called by name: see Preload.c. */

#endif
