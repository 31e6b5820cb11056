package io.csi4j.admin.internal.api;

import io.csi4j.core.lifecycle.CallerOperations;

/**
 * A request at its endpoint.
 *
 * @param operations the operations on behalf of the caller
 * @param caller the name of the caller, for texts that people read
 * @param values the checked parameters
 * @param server the parts of this server
 */
public record Call(CallerOperations operations, String caller, Values values, ServerParts server) {}
