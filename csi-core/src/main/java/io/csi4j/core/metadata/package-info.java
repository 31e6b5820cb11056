/**
 * Provides the metadata of a snapshot as one stream that resumes after failures.
 *
 * <p>{@link io.csi4j.core.metadata.ResumingSnapshotMetadata} wraps any {@link io.csi4j.core.rpc.SnapshotMetadataService} and
 * implements it, too. If the underlying stream breaks, it requests the metadata again from the end of the last range (R102). It
 * delivers no range that breaks the order (R101).
 *
 * <pre>{@code
 * SnapshotMetadataService metadata = ResumingSnapshotMetadata.builder(service, "csi.example.com")
 *         .timer((task, delay) -> scheduler.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS))
 *         .build();
 * metadata.getMetadataAllocated(request).subscribe(backup);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.metadata;

import org.jspecify.annotations.NullMarked;
