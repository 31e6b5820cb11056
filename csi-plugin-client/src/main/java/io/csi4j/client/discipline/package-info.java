/**
 * How calls are made: in which order, and how often. Between the typed services and what carries a call, and
 * knows neither. Which status code leads to what is data, {@link io.csi4j.core.call.CallRules}; here it is done.
 *
 * <p>{@link io.csi4j.client.discipline.RetryOptions} and {@link io.csi4j.client.discipline.VolumeOrder} are for
 * everybody, by way of the client's builder; the rest serves {@code CsiClient}.
 *
 * <pre>{@code
 * CsiClient client = CsiClient.builder(endpoint)
 *         .retries(RetryOptions.builder().maxTries(6).maxPause(Duration.ofSeconds(10)).build())
 *         .volumeOrder(VolumeOrder.oneAtATime())
 *         .build();
 * }</pre>
 */
@NullMarked
package io.csi4j.client.discipline;

import org.jspecify.annotations.NullMarked;
