#pragma once
#include <tss2/tss2_tcti.h>
#include <tss2/tss2_tctildr.h>

// Function-like macros that Swift cannot import.
static inline TSS2_RC c_tcti_transmit(TSS2_TCTI_CONTEXT *context, size_t size, const uint8_t *command)
{
    return Tss2_Tcti_Transmit(context, size, command);
}
static inline TSS2_RC c_tcti_receive(TSS2_TCTI_CONTEXT *context, size_t *size, uint8_t *response)
{
    return Tss2_Tcti_Receive(context, size, response, TSS2_TCTI_TIMEOUT_BLOCK);
}
