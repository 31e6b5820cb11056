/**
 * The metadata of a snapshot as one stream that mends itself.
 *
 * <p>{@link io.csi4j.core.metadata.ResumingSnapshotMetadata} stands before any {@link
 * io.csi4j.core.rpc.SnapshotMetadataService} and is one itself. Where the stream behind it breaks, it asks
 * again from the end of the last range (R102), and it lets nothing through that breaks the order of the
 * ranges (R101).
 *
 * <pre>{@code
 * SnapshotMetadataService metadata = ResumingSnapshotMetadata.builder(service, "csi.example.com")
 *         .timer((task, delay) -> scheduler.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS))
 *         .build();
 * metadata.getMetadataAllocated(request).subscribe(backup);
 * }</pre>
 */
@NullMarked
package io.csi4j.core.metadata;

import org.jspecify.annotations.NullMarked;
