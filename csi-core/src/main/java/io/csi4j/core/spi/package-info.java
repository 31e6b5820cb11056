/**
 * The interfaces through which the engine uses the services of its host, such as its log and its timers. The host
 * implements them or uses the implementations of csi4j. The engine changes the state only through the
 * {@linkplain io.csi4j.core.spi.CommandLog log}, calls plugins only through the
 * {@linkplain io.csi4j.core.spi.NodeGateway gateway}, and waits only through the
 * {@linkplain io.csi4j.core.spi.Timer timer}.
 *
 * <p>No method of these interfaces may block its caller. The host closes the objects that it passes in.
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
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.spi;

import org.jspecify.annotations.NullMarked;
