/**
 * Pages of the metadata of a snapshot, as a gateway requests them from a plugin. {@link
 * io.csi4j.core.lifecycle.VolumeSnapshots#metadata} makes one stream of them that resumes after failures (R102) and delivers no
 * range that breaks the order (R101).
 *
 * <pre>{@code
 * SnapshotMetadataService metadata = lifecycle.snapshots().metadata(PluginId.of("ebs0"));
 * metadata.getMetadataAllocated(request).subscribe(backup);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.metadata;

import org.jspecify.annotations.NullMarked;
