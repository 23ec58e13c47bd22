#pragma once
#include <dlfcn.h>
#include <tss2/tss2_tcti.h>

// The library is looked for when a chip is first asked: a device without a chip needs no library for it.
#define C_TCTI_NO_LIBRARY 0xffffffffu

static inline int c_tcti_has_library(void)
{
    return dlopen("libtss2-tctildr.so.0", RTLD_NOW | RTLD_LOCAL) != 0;
}
static inline TSS2_RC c_tcti_open(const char *place, TSS2_TCTI_CONTEXT **context)
{
    typedef TSS2_RC (*initialize_function)(const char *, TSS2_TCTI_CONTEXT **);
    void *library = dlopen("libtss2-tctildr.so.0", RTLD_NOW | RTLD_LOCAL);
    initialize_function initialize =
        library ? (initialize_function)dlsym(library, "Tss2_TctiLdr_Initialize") : 0;
    return initialize ? initialize(place, context) : C_TCTI_NO_LIBRARY;
}
static inline void c_tcti_close(TSS2_TCTI_CONTEXT **context)
{
    typedef void (*finalize_function)(TSS2_TCTI_CONTEXT **);
    void *library = dlopen("libtss2-tctildr.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    finalize_function finalize = library ? (finalize_function)dlsym(library, "Tss2_TctiLdr_Finalize") : 0;
    if (finalize)
        finalize(context);
}

// Function-like macros that Swift cannot import.
static inline TSS2_RC c_tcti_transmit(TSS2_TCTI_CONTEXT *context, size_t size, const uint8_t *command)
{
    return Tss2_Tcti_Transmit(context, size, command);
}
static inline TSS2_RC c_tcti_receive(TSS2_TCTI_CONTEXT *context, size_t *size, uint8_t *response)
{
    return Tss2_Tcti_Receive(context, size, response, TSS2_TCTI_TIMEOUT_BLOCK);
}
