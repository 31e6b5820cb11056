package io.csi4j.testkit.history;

import io.csi4j.core.call.StatusCode;

/**
 * The result of a call at the plugin.
 *
 * @param code the status code
 * @param message the error text, without secrets; empty for OK
 */
public record CallResult(StatusCode code, String message) {}
