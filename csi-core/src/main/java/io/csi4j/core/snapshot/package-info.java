/**
 * The rows of snapshots in the state. {@link io.csi4j.core.lifecycle.VolumeSnapshots} stores the request for a snapshot, the
 * leader makes the calls for it (R76-R80), and a volume is restored from it by its key.
 *
 * <pre>{@code
 * SnapshotKey nightly = SnapshotKey.of("default", "db-nightly");
 * lifecycle.snapshots().create(nightly, VolumeKey.of("default", "db"), Map.of()).join();
 * VolumeSpec copy = spec.toBuilder().sourceSnapshot(nightly).build();
 * lifecycle.volumes().create(VolumeKey.of("default", "db-copy"), copy).join();
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.snapshot;

import org.jspecify.annotations.NullMarked;
