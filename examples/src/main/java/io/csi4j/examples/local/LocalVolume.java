package io.csi4j.examples.local;

import io.csi4j.agent.LocalNode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.server.CsiServer;
import io.csi4j.testkit.FakePluginProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Creates a volume on one machine, claims and mounts it, writes to it, frees it and deletes it. Mounts need root. */
public final class LocalVolume {
    private LocalVolume() {}

    /**
     * Runs the program.
     *
     * @param args an absolute directory with a short name, for example {@code /tmp/csi}; none: a new directory
     */
    @SuppressWarnings("try") // the plugin runs until the block ends
    public static void main(String[] args) throws Exception {
        Path directory = args.length > 0
                ? Path.of(args[0])
                : Files.createTempDirectory("csi").toRealPath();
        // DOC
        PluginId plugin = PluginId.of("hostpath");
        try (CsiServer server = CsiServer.builder(RatisCommandLog.builder(directory))
                        .node(NodeId.of("local"), directory.resolve("node"))
                        .build();
                FakePluginProcess process =
                        launch(server.node().preparePlugin(plugin).endpoint(), directory)) {
            LocalNode node = server.node();
            node.pluginStarted(plugin).join();
            var lifecycle = server.lifecycle();
            VolumeKey volume = VolumeKey.of("default", "db");
            var writer = List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER));
            var spec = VolumeSpec.builder(plugin).requestedCapabilities(writer).build();
            lifecycle.volumes().create(volume, spec).join();

            var cluster = lifecycle.cluster();
            AllocationId web = AllocationId.of("web-1");
            cluster.allocationStarted(web, volume.namespace(), node.nodeId()).join();
            var claims = List.of(ClaimRequest.writing(volume, writer.get(0)));
            Path target = node.prepare(web, claims).join().get(0).targetPath();
            Files.writeString(target.resolve("hello.txt"), "written by web-1");
            System.out.println("written and found at the provider: " + find("hello.txt", directory.resolve("storage")));

            cluster.allocationEnded(web).join();
            // The engine unmounts, detaches and frees the volume by itself; this call waits until the volume is free.
            lifecycle.operator().detach(volume, node.nodeId()).join();
            lifecycle.volumes().delete(volume).join();
            System.out.println("freed and deleted");
        }
        // DOC
    }

    /** Finds the file in the storage of the plugin; its presence shows that the volume was mounted at the target path. */
    private static Path find(String name, Path storage) throws Exception {
        try (var files = Files.walk(storage)) {
            return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
        }
    }

    private static FakePluginProcess launch(String endpoint, Path directory) {
        return FakePluginProcess.builder(endpoint)
                .stateDir(directory.resolve("storage"))
                .start();
    }
}
