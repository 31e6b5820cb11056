/**
 * The lifecycle engine. It publishes and unpublishes volumes as their claims require, and offers the operations that a host needs. Begin with {@link io.csi4j.core.lifecycle.VolumeLifecycle}.
 *
 * <pre>{@code
 * VolumeLifecycle lifecycle = VolumeLifecycle.of(new LocalCommandLog(store), gateway);
 * lifecycle.as(caller).volumes().create(VolumeKey.of("default", "db"), spec)
 *         .thenAccept(volume -> report(volume.remoteId()));
 * }</pre>
 *
 * <p>No method blocks. The engine writes the intent of every change to the log before it calls a plugin, and writes the outcome afterwards. A new leader finds interrupted work in the state, and continues or undoes it.
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.lifecycle;

import org.jspecify.annotations.NullMarked;
