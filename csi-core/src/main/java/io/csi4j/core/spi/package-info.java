/**
 * What the lifecycle engine needs of its host. The host implements these ports or takes ready-made
 * ones; the engine knows nothing else of the world: the {@linkplain io.csi4j.core.spi.CommandLog log}
 * is the only way it changes state, the {@linkplain io.csi4j.core.spi.NodeGateway gateway} the only way
 * it reaches a plugin, the {@linkplain io.csi4j.core.spi.Timer timer} the only way it waits.
 *
 * <p>No port may block its caller. What the host injects, the host closes.
 *
 * <pre>{@code
 * Timer timer = Timer.from(scheduler);
 * EventListener metrics = new EventListener() {
 *     @Override
 *     public void callFinished(CallEvent event) {
 *         histogram.record(event.rpc().csiName(), event.code(), event.duration());
 *     }
 * };
 * }</pre>
 */
@NullMarked
package io.csi4j.core.spi;

import org.jspecify.annotations.NullMarked;
