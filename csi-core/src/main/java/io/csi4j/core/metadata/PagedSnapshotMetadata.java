package io.csi4j.core.metadata;

import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/**
 * Snapshot metadata as streams that are fetched page by page, a page when its subscriber asks for more. A stream keeps
 * R101 over all its pages, and ends with the failure of the first page that fails: repeating a page is left to the
 * {@link MetadataPages}. Safe for use by many threads.
 */
public final class PagedSnapshotMetadata implements SnapshotMetadataService {
    private final Supplier<? extends MetadataPages> pages;
    private final String plugin;

    /**
     * A service over pages.
     *
     * @param pages gives each subscriber the pages of its stream
     * @param plugin the plugin, as exceptions are to name it
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
