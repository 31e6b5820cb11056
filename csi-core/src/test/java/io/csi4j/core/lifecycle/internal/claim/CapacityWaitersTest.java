package io.csi4j.core.lifecycle.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.internal.step.PluginOnNode;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CapacityWaitersTest {
    private static final NodeId NODE = NodeId.of("n1");
    private static final PluginId PLUGIN = PluginId.of("p");
    private static final PluginOnNode FULL = new PluginOnNode(PLUGIN, NODE);
    private static final RequestedCapability USE = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private final NaiveState state = new NaiveState();
    private final List<VolumeKey> retried = new ArrayList<>();
    private final CapacityWaiters waiters = new CapacityWaiters(retried::add);

    CapacityWaitersTest() {
        assertThat(state.apply(new NodeCommand.UpsertNode(NODE, Instant.EPOCH)).accepted())
                .isTrue();
        limit(1);
    }

    private void limit(long volumes) {
        PluginInstance instance = PluginInstance.builder(
                        new InstanceKey(NODE, PLUGIN, PluginType.MONOLITH, Optional.empty()), Instant.EPOCH)
                .provider("csi.example.com")
                .capabilities(Capabilities.unknown().withServices(PluginService.CONTROLLER_SERVICE))
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-n1"), volumes, Optional.empty()))
                .build();
        assertThat(state.apply(new PluginCommand.FingerprintNode(NODE, List.of(instance), Instant.EPOCH))
                        .accepted())
                .isTrue();
    }

    private static VolumeKey key(String name) {
        return VolumeKey.of("ns", name);
    }

    private void store(String name, AttachmentState attached, ClaimState claimed) {
        VolumeSpec spec =
                VolumeSpec.builder(PLUGIN).requestedCapabilities(List.of(USE)).build();
        Claim claim = Claim.builder(AllocationId.of("of-" + name), NODE, ClaimMode.WRITE, USE)
                .state(claimed)
                .build();
        state.putVolume(Volume.builder(key(name), spec, 1, Instant.EPOCH)
                .claims(Claims.of(List.of(claim)))
                .attachments(Attachments.of(
                        List.of(Attachment.builder(NODE, USE).state(attached).build())))
                .build());
    }

    private void refused(String... names) {
        for (String name : names) {
            store(name, AttachmentState.PUBLISHING, ClaimState.TAKEN);
            waiters.refused(state, FULL, key(name));
        }
    }

    @Test
    void volumeThatHasWaitedLongestGetsTheFreeSlot() {
        waiters.detached(state, FULL);
        assertThat(retried).as("no volume waits").isEmpty();
        refused("a", "b");
        waiters.detached(state, new PluginOnNode(PLUGIN, NodeId.of("n2")));
        assertThat(retried).as("the slot is on another node").isEmpty();
        waiters.detached(state, FULL);
        assertThat(retried).containsExactly(key("a"));
        refused("a");
        waiters.detached(state, FULL);
        assertThat(retried).as("it waits at the end again").containsExactly(key("a"), key("b"));
        waiters.detached(state, FULL);
        waiters.detached(state, FULL);
        assertThat(retried).containsExactly(key("a"), key("b"), key("a"));
        assertThat(waiters.size()).isZero();
    }

    @Test
    void asManyVolumesAreRetriedAsTheLimitHasGrown() {
        refused("a", "b", "c", "d", "e");
        waiters.recheck(state);
        assertThat(retried).as("the limit is the same").isEmpty();
        limit(3);
        waiters.recheck(state);
        assertThat(retried).containsExactly(key("a"), key("b"));
        waiters.recheck(state);
        limit(2);
        waiters.recheck(state);
        assertThat(retried).hasSize(2);
        limit(0);
        waiters.recheck(state);
        assertThat(retried).as("there is no limit").hasSize(5);
        assertThat(waiters.size()).isZero();
        refused("f");
        waiters.recheck(state);
        assertThat(retried).as("there was none before").hasSize(5);
    }

    @Test
    void volumesThatNoLongerWaitAreForgotten() {
        refused("waits", "published", "released", "deleted");
        store("published", AttachmentState.PUBLISHED, ClaimState.TAKEN);
        store("released", AttachmentState.PUBLISHING, ClaimState.UNPUBLISHING);
        state.removeVolume(key("deleted"));
        waiters.forgetSettled(state);
        assertThat(waiters.size()).isEqualTo(1);
        waiters.detached(state, FULL);
        assertThat(retried).containsExactly(key("waits"));

        refused("published", "next");
        store("published", AttachmentState.PUBLISHED, ClaimState.TAKEN);
        waiters.detached(state, FULL);
        assertThat(retried).as("the slot is not wasted").endsWith(key("next")).hasSize(2);
        refused("waits");
        waiters.clear();
        assertThat(waiters.size()).isZero();
    }
}
