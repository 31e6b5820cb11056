/**
 * The retries and the order of a client's calls: {@link io.csi4j.client.retry.RetryOptions} and {@link
 * io.csi4j.client.retry.VolumeOrder} for the client's builder, and the events of attempts. {@link io.csi4j.core.call.CallRules} has
 * the rules that decide which status codes are retried.
 *
 * <pre>{@code
 * CsiClient client = CsiClient.builder(endpoint)
 *         .retries(RetryOptions.builder().maxAttempts(6).maxBackoff(Duration.ofSeconds(10)).build())
 *         .volumeOrder(VolumeOrder.oneAtATime())
 *         .build();
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.client.retry;

import org.jspecify.annotations.NullMarked;
