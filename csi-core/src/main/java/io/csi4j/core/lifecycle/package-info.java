/**
 * The lifecycle engine. It performs the work that brings each volume to the state that its claims require, and offers the
 * operations of a host. Begin with {@link io.csi4j.core.lifecycle.VolumeLifecycle}.
 *
 * <pre>{@code
 * VolumeLifecycle lifecycle = VolumeLifecycle.of(new LocalCommandLog(store), gateway);
 * lifecycle.as(caller).volumes().create(VolumeKey.of("default", "db"), spec)
 *         .thenAccept(volume -> report(volume.remoteId()));
 * }</pre>
 *
 * <p>No method blocks. Every change is written to the log before a plugin is called, and its outcome afterwards. The next leader
 * finds interrupted work in the state, and repeats or undoes it.
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.lifecycle;

import org.jspecify.annotations.NullMarked;
