/**
 * The life of volumes: the engine that brings each volume to where its claims say it should be, and the
 * operations a host calls. Begin with {@link io.csi4j.core.lifecycle.VolumeLifecycle}.
 *
 * <pre>{@code
 * VolumeLifecycle lifecycle = VolumeLifecycle.of(new LocalCommandLog(store), gateway);
 * lifecycle.as(caller).create(VolumeKey.of("default", "db"), spec)
 *         .thenAccept(volume -> report(volume.remoteId()));
 * }</pre>
 *
 * <p>No method blocks. Every change is written to the log before a plugin is called, and its outcome
 * after; whatever is interrupted is found there and repeated, or undone.
 */
@NullMarked
package io.csi4j.core.lifecycle;

import org.jspecify.annotations.NullMarked;
