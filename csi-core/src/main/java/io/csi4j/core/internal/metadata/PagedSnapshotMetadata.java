package io.csi4j.core.internal.metadata;

import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/**
 * Offers snapshot metadata as streams that are read page by page. The next page is requested when the subscriber asks
 * for more. A stream keeps the order of ranges (R101) over all its pages, and fails if a page fails. Failed requests
 * are retried by the {@link MetadataPages} object, not by this class. Thread-safe.
 */
public final class PagedSnapshotMetadata implements SnapshotMetadataService {
    private final Supplier<? extends MetadataPages> pages;
    private final String plugin;

    /**
     * Creates the service.
     *
     * @param pages creates, for each subscriber, the object that requests the pages of the subscriber's stream
     * @param plugin the plugin's name for exceptions
     */
    public PagedSnapshotMetadata(Supplier<? extends MetadataPages> pages, String plugin) {
        this.pages = Objects.requireNonNull(pages, "pages");
        this.plugin = Objects.requireNonNull(plugin, "plugin");
    }

    @Override
    public Flow.Publisher<GetMetadataAllocatedResponse> getMetadataAllocated(GetMetadataAllocatedRequest request) {
        Objects.requireNonNull(request, "request");
        return subscriber -> new PagedStream<>(
                        MetadataRpc.ALLOCATED,
                        pages.get()::allocated,
                        request,
                        plugin,
                        Objects.requireNonNull(subscriber, "subscriber"))
                .begin();
    }

    @Override
    public Flow.Publisher<GetMetadataDeltaResponse> getMetadataDelta(GetMetadataDeltaRequest request) {
        Objects.requireNonNull(request, "request");
        return subscriber -> new PagedStream<>(
                        MetadataRpc.DELTA,
                        pages.get()::delta,
                        request,
                        plugin,
                        Objects.requireNonNull(subscriber, "subscriber"))
                .begin();
    }
}
