package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.state.internal.tree.Seeds;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The indexes of volumes by node and by allocation, and of unsettled ones, name also volumes that are made for a claim and
 * volumes of an allocation. Compares them with a model without indexes after random changes.
 */
class MadeVolumesIndexTest {
    private static final RequestedCapability BLOCK = RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final int ROUNDS = 400;

    private final SplittableRandom random = Seeds.next("MadeVolumesIndexTest");
    private final NaiveState oracle = new NaiveState();
    private final StateStore store = StateEncodingTest.store(ClearTextSecretsCipher.secretsStayReadable());

    private VolumeKey key() {
        return VolumeKey.of("default", "v" + random.nextInt(8));
    }

    private NodeId node() {
        return NodeId.of("n" + random.nextInt(3));
    }

    private AllocationId allocation() {
        return AllocationId.of("a" + random.nextInt(4));
    }

    private Volume changed(VolumeKey key, long index) {
        Volume.Builder volume = oracle.volume(key)
                .filter(known -> random.nextInt(10) > 0)
                .map(Volume::toBuilder)
                .orElseGet(() -> Volume.builder(
                        key,
                        VolumeSpec.builder(PluginId.of("p" + random.nextInt(2)))
                                .requestedCapabilities(List.of(BLOCK))
                                .build(),
                        index,
                        Cluster.AT));
        // Several parts of a row change at once, as a command that takes a claim changes them.
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            switch (random.nextInt(6)) {
                case 0 -> volume.firstClaim(random.nextInt(3) == 0 ? null : first(key));
                case 1 -> volume.owner(owner());
                case 2 -> volume.formerKey(random.nextBoolean() ? null : key());
                case 3 -> volume.claims(random.nextInt(3) == 0 ? Claims.empty() : Claims.of(List.of(claim())));
                case 4 -> volume.attachments(random.nextInt(3) == 0 ? Attachments.empty() : attachments());
                default -> volume.phase(List.of(VolumePhase.values()).get(random.nextInt(3)));
            }
        }
        return volume.modified(index, Cluster.AT).build();
    }

    private @Nullable VolumeOwner owner() {
        return switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 ->
                new VolumeOwner.OfWorkload(
                        WorkloadOwner.of("w" + random.nextInt(2), 1 + random.nextInt(2)),
                        random.nextBoolean() ? Optional.empty() : Optional.of(Cluster.AT));
            default -> new VolumeOwner.OfAllocation(allocation());
        };
    }

    private FirstClaim first(VolumeKey key) {
        return new FirstClaim(allocation(), node(), List.of(key), random.nextBoolean());
    }

    private Claim claim() {
        return Claim.builder(allocation(), node(), ClaimMode.WRITE, BLOCK).build();
    }

    private Attachments attachments() {
        return Attachments.of(List.of(Attachment.builder(node(), BLOCK).build()));
    }

    @Test
    void indexesEqualModelAfterRandomChangesAndRestore() {
        try (store;
                StateStore restored = StateEncodingTest.store(ClearTextSecretsCipher.secretsStayReadable())) {
            for (int round = 1; round <= ROUNDS; round++) {
                try (WriteTransaction transaction = store.begin(Duration.ofSeconds(30))) {
                    for (int i = random.nextInt(1, 4); i > 0; i--) {
                        VolumeKey key = key();
                        if (random.nextInt(5) == 0) {
                            transaction.removeVolume(key);
                            oracle.removeVolume(key);
                        } else {
                            Volume volume = changed(key, round);
                            transaction.putVolume(volume);
                            oracle.putVolume(volume);
                        }
                    }
                    transaction.commit(round);
                }
                equal(store);
                if (round % 20 == 0) {
                    StateEncodingTest.restore(restored, StateEncodingTest.encode(store));
                    equal(restored);
                }
            }
        }
    }

    private void equal(StateStore actual) {
        for (int i = 0; i < 4; i++) {
            AllocationId allocation = AllocationId.of("a" + i);
            assertThat(actual.snapshot().volumesClaimedBy(allocation))
                    .as("of %s", allocation)
                    .containsExactlyElementsOf(oracle.volumesClaimedBy(allocation));
        }
        for (int i = 0; i < 3; i++) {
            NodeId node = NodeId.of("n" + i);
            assertThat(actual.snapshot().volumesOn(node))
                    .as("on %s", node)
                    .containsExactlyElementsOf(oracle.volumesOn(node));
            for (int plugin = 0; plugin < 2; plugin++) {
                PluginId pluginId = PluginId.of("p" + plugin);
                assertThat(actual.snapshot().volumesOn(node, pluginId))
                        .as("of %s on %s", pluginId, node)
                        .containsExactlyElementsOf(oracle.volumesOn(node, pluginId));
            }
        }
        for (int i = 0; i < 3; i++) {
            Namespace namespace = Namespace.of("default");
            WorkloadName name = WorkloadName.of("w" + i);
            assertThat(actual.snapshot().volumesOwnedBy(namespace, name))
                    .as("of %s", name)
                    .containsExactlyElementsOf(oracle.volumesOwnedBy(namespace, name));
        }
        assertThat(actual.snapshot().unsettledVolumes()).containsExactlyElementsOf(oracle.unsettledVolumes());
    }
}
