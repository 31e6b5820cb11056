/**
 * How a client repeats and orders calls: {@link io.csi4j.client.retry.RetryOptions} and {@link
 * io.csi4j.client.retry.VolumeOrder} for the client's builder, and the events of attempts. The rules that say which status
 * code is repeated are data: {@link io.csi4j.core.call.CallRules}.
 *
 * <pre>{@code
 * CsiClient client = CsiClient.builder(endpoint)
 *         .retries(RetryOptions.builder().maxTries(6).maxPause(Duration.ofSeconds(10)).build())
 *         .volumeOrder(VolumeOrder.oneAtATime())
 *         .build();
 * }</pre>
 */
@NullMarked
package io.csi4j.client.retry;

import org.jspecify.annotations.NullMarked;
