package io.csi4j.admin.internal.console;

import io.csi4j.admin.AdminRig;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.VolumeClass;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** A small cluster in which most things work and some do not, for pictures and for trying the page by hand. */
final class DemoCluster {
    private static final PluginId BLOCK = PluginId.of("block-ssd");
    private static final PluginId NAS = PluginId.of("nas");
    private static final PluginId ARCHIVE = PluginId.of("archive");

    private final AdminRig rig;
    private final List<CompletableFuture<?>> waiting = new ArrayList<>();

    private DemoCluster(AdminRig rig) {
        this.rig = rig;
    }

    static void fill(AdminRig rig) throws Exception {
        new DemoCluster(rig).fill();
    }

    private static VolumeKey shop(String id) {
        return VolumeKey.of("shop", id);
    }

    private static <T> CompletableFuture<T> later(long millis, CompletableFuture<T> answer) {
        Executor delayed = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
        return CompletableFuture.runAsync(() -> {}, delayed).thenCompose(waited -> answer);
    }

    private void fill() throws Exception {
        for (int i = 1; i <= 6; i++) {
            rig.node("node-" + i, BLOCK, NAS);
        }
        rig.node("node-6", true, BLOCK).node("node-5", BLOCK, NAS, ARCHIVE).node("node-5", false, ARCHIVE);
        rig.node("node-5", BLOCK, NAS);
        rig.expect(BLOCK, 6, 6).expect(NAS, 6, 6).expect(ARCHIVE, 1, 1);
        rig.volume(shop("orders-db"), BLOCK, 200)
                .volume(shop("catalog-db"), BLOCK, 80)
                .volume(shop("media"), NAS, 2048)
                .volume(shop("search-index"), BLOCK, 120)
                .volume(VolumeKey.of("metrics", "tsdb-0"), BLOCK, 500)
                .volume(VolumeKey.of("metrics", "tsdb-1"), BLOCK, 500)
                .volume(VolumeKey.of("backup", "cold"), ARCHIVE, 8192);
        rig.done(rig.lifecycle
                .classes()
                .put(VolumeClass.builder(VolumeClassName.of("fast"), BLOCK)
                        .requestedCapabilities(List.of(AdminRig.WRITER))
                        .leastBytes(1L << 30)
                        .greatestBytes(1L << 40)
                        .build()));
        rig.volumes("workers", "scratch-", BLOCK, 140);
        rig.answers = (plugin, unpublish) -> later(unpublish ? 310 : 740, CompletableFuture.completedFuture(null));
        use("orders-1", "node-1", shop("orders-db"));
        use("catalog-1", "node-2", shop("catalog-db"));
        use("media-1", "node-3", shop("media"));
        use("tsdb-0", "node-4", VolumeKey.of("metrics", "tsdb-0"));
        // orders-1 moves: its release fails twice, and the next claim waits.
        rig.answers = (plugin, unpublish) -> unpublish
                ? later(1900, CompletableFuture.failedFuture(AdminRig.failure(plugin, StatusCode.ABORTED)))
                : later(740, CompletableFuture.completedFuture(null));
        rig.end("orders-1");
        wait("orders-2", "node-2", shop("orders-db"));
        wait("catalog-2", "node-4", shop("catalog-db"));
        wait("cold-1", "node-1", VolumeKey.of("backup", "cold"));
        rig.awaitPage(Links.address(shop("orders-db")), "attempt 2");
        rig.answers = (plugin, unpublish) ->
                plugin.equals(NAS) ? new CompletableFuture<>() : later(620, CompletableFuture.completedFuture(null));
        rig.awaitPage(Links.address(shop("orders-db")), "granted to orders-2");
        rig.end("media-1");
        rig.done(rig.lifecycle.cluster().nodeDisconnected(NodeId.of("node-6"), "no heartbeat for 30 s"));
        rig.awaitPage("/calls", "id=media");
    }

    private void use(String allocation, String node, VolumeKey volume) throws Exception {
        rig.done(rig.claim(allocation, node, volume));
    }

    private void wait(String allocation, String node, VolumeKey volume) throws Exception {
        waiting.add(rig.claim(allocation, node, volume));
    }

    /**
     * Shows the demo until the input ends.
     *
     * @param args none
     */
    public static void main(String[] args) throws Exception {
        try (AdminRig rig = new AdminRig()) {
            fill(rig);
            System.out.println("Open " + rig.admin.uri() + "; press Enter to end.");
            int unused = System.in.read();
        }
    }
}
