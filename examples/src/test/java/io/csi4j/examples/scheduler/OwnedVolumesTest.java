package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.Cluster;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.examples.MarkedCode;
import io.csi4j.testkit.cluster.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Volumes that come with their workload, as the guide shows them. */
class OwnedVolumesTest {
    private static final Path SOURCE = Path.of("src/test/java/io/csi4j/examples/scheduler/OwnedVolumesTest.java");

    private final Namespace namespace = Namespace.of("default");
    private final VolumeClassName fast = VolumeClassName.of("fast");
    private final RequestedCapability writer = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    @Test
    void guideShowsThisExample() throws IOException {
        assertThat(Files.readString(Path.of("../docs/guide/embed.md"))).contains(MarkedCode.block(SOURCE));
    }

    @Test
    void claimMakesVolumesThatEndWithTheirOwners() {
        try (FakeCluster fake = FakeCluster.onRealTime()) {
            fake.addNode("n1", "zone-1");
            VolumeLifecycle lifecycle = fake.lifecycle();
            Cluster cluster = lifecycle.cluster();
            lifecycle
                    .classes()
                    .put(VolumeClass.builder(fast, fake.plugin())
                            .requestedCapabilities(List.of(writer))
                            .defaultCapacity(CapacityRange.atLeast(1 << 20))
                            .reclaim(ReclaimPolicy.RETAIN)
                            .build())
                    .join();
            // DOC
            // "scratch" is a volume of each allocation. "data" belongs to the third life of workload web.
            VolumeTemplate ofAllocation = VolumeTemplate.builder(fast)
                    .capacityRange(CapacityRange.atLeast(10L << 20))
                    .ofAllocation()
                    .build();
            WorkloadOwner web = WorkloadOwner.of("web", 3);
            VolumeTemplate ofWorkload =
                    VolumeTemplate.builder(fast).ofWorkload(web).build();
            List<VolumeRequest> requests = List.of(
                    new VolumeRequest("scratch", false, writer, MountOptions.none(), false).madeFrom(ofAllocation),
                    new VolumeRequest("data", false, writer, MountOptions.none(), true).madeFrom(ofWorkload));

            // The scheduler chooses a node where both can be made. The key of "scratch" has the id of the allocation.
            AllocationId first = AllocationId.of("web-0-a");
            List<ClaimRequest> claims = requests.stream()
                    .map(request -> request.claimOf(namespace, first, 0))
                    .toList();
            NodeId node = FeasibleNodes.in(lifecycle.log().state().snapshot()).onAll(namespace, claims).stream()
                    .filter(NodeAnswer::admitted)
                    .findFirst()
                    .orElseThrow()
                    .nodeId();

            // The node claims with these requests, for example by agent.prepare(first, claims). It makes both.
            cluster.allocationStarted(first, namespace, node).join();
            lifecycle.claims().claim(first, claims).join();

            // The processes have stopped: "scratch" is deleted after its unmount, and "data" waits for the next one.
            cluster.allocationEnded(first).join();

            // The user has removed the job: "data" is deleted, or retained if its class says so.
            cluster.ownerEnded(namespace, web).join();
            // DOC
            VolumeKey scratch = VolumeKey.ofAllocation(namespace, first, "scratch");
            VolumeKey data = VolumeKey.of("default", "data[0]");
            assertThat(node).isEqualTo(NodeId.of("n1"));
            assertThat(fake.runUntil(() -> fake.state().volume(scratch).isEmpty()))
                    .isTrue();
            Optional<Volume> kept = fake.state().volume(data);
            assertThat(kept.flatMap(Volume::retainedSince)).isPresent();
            assertThat(fake.storage().volumeIds())
                    .containsExactly(kept.orElseThrow().remoteId().value());
        }
    }
}
