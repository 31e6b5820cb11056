package io.csi4j.node.internal.ownership;

import io.csi4j.node.FileOwnership;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.VolumeOwnership;
import io.csi4j.node.internal.ownership.OwnershipException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Changes the ownership of volumes on threads of its own, so that other volumes of the node do not wait. */
public final class LinuxOwnership implements VolumeOwnership {
    private static final int AT_A_TIME = 2;
    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            AT_A_TIME, AT_A_TIME, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "csi4j-ownership");
                thread.setDaemon(true);
                return thread;
            });

    public LinuxOwnership() {
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public CompletableFuture<@Nullable Void> change(Path target, FileOwnership wanted, OwnershipProgress progress) {
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                OwnershipChange.run(target, wanted, true, progress);
                result.complete(null);
            } catch (OwnershipException e) {
                result.completeExceptionally(failure(e));
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private static Exception failure(OwnershipException e) {
        String text = String.valueOf(e.getMessage());
        return e.reason() == Reason.UNSUPPORTED_HERE
                ? new NodeVolumeException(NodeVolumeException.Reason.UNSUPPORTED, text, e)
                : new IOException(text, e);
    }
}
