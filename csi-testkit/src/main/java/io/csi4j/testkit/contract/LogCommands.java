package io.csi4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The commands of the contract's tests. */
final class LogCommands {
    static final NodeId NODE = NodeId.of("contract-node");
    static final AllocationId ALLOCATION = AllocationId.of("contract-allocation");
    private static final Instant AT = Instant.ofEpochSecond(1_700_000_000L);
    private static final PluginId PLUGIN = PluginId.of("contract.example.com");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private LogCommands() {}

    static VolumeKey key(int number) {
        return VolumeKey.of("contract", "volume-" + number);
    }

    static Command node() {
        return new NodeCommand.UpsertNode(NODE, AT);
    }

    /** Returns a command that every state rejects. */
    static Command rejected() {
        return new NodeCommand.SetNodeStatus(NodeId.of("contract-unknown"), NodeStatus.DOWN, "", AT);
    }

    static Command register(int number) {
        return new VolumeCommand.RegisterVolume(
                key(number),
                VolumeSpec.builder(PLUGIN)
                        .externalVolumeId(ExternalVolumeId.of("external-" + number))
                        .requestedCapabilities(List.of(WRITER))
                        .build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                AT);
    }

    /** Returns a registration of a volume with a size. */
    static Command sized(int number, long bytes) {
        return new VolumeCommand.RegisterVolume(
                key(number),
                VolumeSpec.builder(PLUGIN)
                        .requestedCapabilities(List.of(WRITER))
                        .capacityRange(CapacityRange.atLeast(bytes))
                        .build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                AT);
    }

    static Command expand(int number, long bytes) {
        return new ChangeCommand.BeginExpansion(key(number), CapacityRange.atLeast(bytes), AT);
    }

    /** Returns a quota for the namespace of the volumes. */
    static Command quota(long volumes, long bytes) {
        return new QuotaCommand.PutQuota(
                new VolumeQuota(QuotaKey.of(key(0).namespace()), OptionalLong.of(volumes), OptionalLong.of(bytes)),
                0,
                AT);
    }

    /** Returns the commands after which {@link #claim} is accepted. */
    static List<Command> beforeClaim() {
        PluginInstance instance = PluginInstance.builder(
                        new InstanceKey(NODE, PLUGIN, PluginType.NODE, Optional.empty()), AT)
                .health(true, "")
                .capabilities(Capabilities.unknown().withServices().withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("contract-machine"), 0, Optional.empty()))
                .build();
        return List.of(
                node(),
                new PluginCommand.FingerprintNode(NODE, List.of(instance), AT),
                register(0),
                new AllocationCommand.UpsertAllocation(
                        ALLOCATION, key(0).namespace(), NODE, Optional.empty(), AllocationStatus.RUNNING, AT));
    }

    /** Returns a claim of volume 0. Each time that it is applied, the claim gets another index. */
    static Command claim() {
        return new ClaimCommand.TakeClaims(ALLOCATION, List.of(ClaimRequest.of(key(0), ClaimMode.WRITE, WRITER)), AT);
    }

    /** Returns the index at which the claim was taken, from the outcome of {@link #claim}. */
    static long takenIndex(Outcome outcome) {
        assertThat(outcome)
                .as("the outcome of a claim of a free volume")
                .isInstanceOfSatisfying(
                        Outcome.Accepted.class,
                        accepted -> assertThat(accepted.effects())
                                .as("the effects of a claim of a free volume")
                                .hasAtLeastOneElementOfType(Effect.ClaimTaken.class));
        return ((Outcome.Accepted) outcome)
                .effects().stream()
                        .filter(effect -> effect instanceof Effect.ClaimTaken)
                        .mapToLong(
                                effect -> ((Effect.ClaimTaken) effect).claim().takenIndex())
                        .findFirst()
                        .orElseThrow();
    }
}
