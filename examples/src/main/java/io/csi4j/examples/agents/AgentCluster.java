package io.csi4j.examples.agents;

import io.csi4j.agent.AgentServer;
import io.csi4j.agent.RemoteNodeGateway;
import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.ClaimWaitingEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** Runs a server and two nodes, each with a plugin, and moves a volume from one node to the other. Mounts need root. */
public final class AgentCluster {
    private AgentCluster() {}

    /**
     * Runs the program.
     *
     * @param args an absolute directory with a short name; without arguments, a new directory is used
     */
    @SuppressWarnings("try") // server, nodes and plugins run until the block ends
    public static void main(String[] args) throws Exception {
        Path directory = args.length > 0
                ? Path.of(args[0])
                : Files.createTempDirectory("csi").toRealPath();
        Path storage = directory.resolve("storage");
        PluginId plugin = PluginId.of("hostpath");
        NodeId one = NodeId.of("node-1");
        NodeId two = NodeId.of("node-2");
        CountDownLatch waiting = new CountDownLatch(1);
        EventListener listener = new EventListener() {
            @Override
            public void claimWaiting(ClaimWaitingEvent event) {
                event.reason().ifPresent(reason -> System.out.println(event.allocationId() + " waits: " + reason));
                if (event.reason().equals(Optional.of(WaitReason.CLAIMED_ON_OTHER_NODE))) {
                    waiting.countDown();
                }
            }
        };
        // DOC
        Endpoint serverOne = Endpoint.unix(directory.resolve("server-1/csi.sock"));
        Endpoint serverTwo = Endpoint.unix(directory.resolve("server-2/csi.sock"));
        Endpoint agentOne = Endpoint.unix(directory.resolve("agent-1/csi.sock"));
        Endpoint agentTwo = Endpoint.unix(directory.resolve("agent-2/csi.sock"));
        NodeDirectory routes =
                NodeDirectory.of(Map.of(one, NodeRoute.direct(agentOne), two, NodeRoute.direct(agentTwo)));
        try (StateStore store = StateStore.inMemory();
                RemoteNodeGateway gateway = RemoteNodeGateway.builder(routes).build();
                VolumeLifecycle lifecycle = VolumeLifecycle.builder()
                        .log(new LocalCommandLog(store))
                        .gateway(gateway)
                        .listener(listener)
                        .controllers((state, controller) -> controller.nodeId().equals(one))
                        .build();
                AgentServer server = AgentServer.builder(lifecycle, lifecycle.log())
                        .gateway(gateway)
                        .listenToAgent(serverOne, one)
                        .listenToAgent(serverTwo, two)
                        .start();
                RunningNode first =
                        RunningNode.start(one, plugin, directory.resolve("node-1"), serverOne, agentOne, storage);
                RunningNode second =
                        RunningNode.start(two, plugin, directory.resolve("node-2"), serverTwo, agentTwo, storage)) {
            lifecycle.startLeading();
            var cluster = lifecycle.cluster();
            cluster.nodeReady(one).join();
            cluster.nodeReady(two).join();
            lifecycle.operator().waitForPlugin(plugin, Duration.ofSeconds(40)).join();

            VolumeKey volume = VolumeKey.of("default", "db");
            var writer = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
            var spec = VolumeSpec.builder(plugin).requestedCapabilities(List.of(writer));
            lifecycle.volumes().create(volume, spec.build()).join();
            List<ClaimRequest> claims = List.of(ClaimRequest.writing(volume, writer));

            // The scheduler places web-1 on the first node; that node claims and mounts the volume.
            AllocationId web1 = AllocationId.of("web-1");
            cluster.allocationStarted(web1, volume.namespace(), one).join();
            Path target = first.agent().prepare(web1, claims).join().get(0).targetPath();
            Files.writeString(target.resolve("hello.txt"), "written on node-1");

            // The replacement of web-1 on the second node waits, because only one node may have the volume.
            AllocationId web2 = AllocationId.of("web-2");
            cluster.allocationStarted(web2, volume.namespace(), two).join();
            var replacement = second.agent().prepare(web2, claims);
            waiting.await();

            // The scheduler reports only the end of web-1. The engine unmounts, detaches, and grants the next claim.
            cluster.allocationEnded(web1).join();
            Path moved = replacement.join().get(0).targetPath();
            System.out.println("read on node-2: " + Files.readString(moved.resolve("hello.txt")));
            cluster.allocationEnded(web2).join();
            var freed = lifecycle.operator().detach(volume, two).join();
            System.out.println("freed: " + freed.detached());
            lifecycle.volumes().delete(volume).join();
            System.out.println("deleted");
        }
        // DOC
    }
}
