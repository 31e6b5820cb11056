package io.csi4j.testkit.conformance;

import java.time.Duration;

/**
 * One call to the plugin, or one step of the kit itself, as text. Secrets, contexts and mount flags are hidden.
 *
 * @param step the name of the RPC, or a short text for a step of the kit
 * @param request the request; empty for a step of the kit
 * @param answer the response, or the status code and message
 * @param ok whether the call or step succeeded
 * @param duration the time until the answer
 */
public record Exchange(String step, String request, String answer, boolean ok, Duration duration) {}
