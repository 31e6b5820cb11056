package io.csi4j.node.internal.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.file.UnusableFileException;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.proto.file.v1.FileProto;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EntryCodecTest {
    private static final VolumeKey KEY = VolumeKey.of("ns", "v");

    private final SplittableRandom random = new SplittableRandom(Long.getLong("csi4j.seed", 1));

    private <T> T one(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private VolumeEntry entry() {
        int uses = random.nextInt(3);
        return new VolumeEntry(
                KEY,
                one(List.of(
                                Optional.<NodeVolumeId>empty(),
                                Optional.of(new NodeVolumeId(KEY, PluginId.of("p"), ExternalVolumeId.of("ext")))))
                        .orElse(null),
                random.nextBoolean() ? staging() : null,
                IntStream.range(0, uses).mapToObj(this::use).toList(),
                random.nextBoolean(),
                one(List.of(0L, 77L)),
                random.nextBoolean() ? order() : null,
                one(List.of(GroupDelivery.values())),
                one(List.of(LabelDelivery.values())));
    }

    private StagingEntry staging() {
        return new StagingEntry(
                terms(),
                one(List.of(StagingPhase.values())),
                one(List.of("", "boot")),
                random.nextBoolean(),
                random.nextBoolean());
    }

    private UseEntry use(int number) {
        return new UseEntry(
                new UseId(AllocationId.of(one(List.of("a", "b"))), number),
                terms(),
                one(List.of(UsePhase.values())),
                one(List.of("", "boot")),
                random.nextBoolean(),
                new HadSecrets(random.nextBoolean(), random.nextBoolean()),
                random.nextBoolean(),
                random.nextBoolean() ? order() : null,
                random.nextBoolean(),
                random.nextBoolean() ? Renewal.NONE : renewal());
    }

    private Renewal renewal() {
        return new Renewal(
                new RepublishOptions(
                        Duration.ofMillis(random.nextLong(100_000)),
                        one(List.of(List.of(), List.of("", "sts.example.com"))),
                        one(List.of(Optional.empty(), Optional.of(Duration.ofHours(1)))),
                        one(List.of(RepublishOptions.Delivery.values())),
                        random.nextBoolean()),
                random.nextLong(1_000),
                random.nextLong(1_000),
                one(List.of("", "36 8:1 / rw ext4")),
                random.nextBoolean());
    }

    private UnmountOrder order() {
        return new UnmountOrder(one(List.of("alice", "bob")), one(List.of("killed", "lost")), random.nextInt(1000));
    }

    private MountTerms terms() {
        return new MountTerms(
                new RequestedCapability(
                        one(List.of(VolumeAccessMode.MULTI_NODE_MULTI_WRITER, VolumeAccessMode.SINGLE_NODE_WRITER)),
                        one(List.of(AttachmentMode.MOUNT, AttachmentMode.MOUNT, AttachmentMode.BLOCK))),
                new MountOptions(
                        one(List.of("", "ext4")),
                        flags(),
                        one(List.of("", "group")),
                        OwnershipOptions.defaults(),
                        one(List.of(Optional.empty(), Optional.of(new SecurityLabel("u:r:t:s0:c1,c2"))))),
                flags(),
                random.nextBoolean(),
                PublishContext.of(one(List.of(Map.of(), Map.of("k", "published")))),
                VolumeContext.of(one(List.of(Map.of(), Map.of("k", "made", "l", "")))),
                one(List.of(Optional.<ExternalNodeId>empty(), Optional.of(ExternalNodeId.of("machine")))),
                random.nextBoolean(),
                VolumeContext.of(one(List.of(Map.of(), Map.of("csi.storage.k8s.io/pod.name", "web")))),
                random.nextBoolean(),
                new OwnershipSettings(random.nextBoolean(), one(List.of(List.of(), List.of(".snapshot", "a b")))));
    }

    private MountFlags flags() {
        return one(List.of(MountFlags.empty(), MountFlags.of("noatime"), MountFlags.of("nosuid", "nodev")));
    }

    /** A record of an earlier version has no such field, and a record without excludes has the bytes that it had before. */
    @Test
    void recordWithoutOwnershipSettingsExcludesNothing() throws UnusableFileException {
        int without = 0;
        for (int run = 0; run < 100; run++) {
            FileProto.VolumeRecord record = EntryCodec.encode(entry());
            FileProto.VolumeRecord.Builder earlier = record.toBuilder();
            earlier.getStagingBuilder().getTermsBuilder().clearOwnershipSettings();
            earlier.getUsersBuilderList().forEach(user -> user.getTermsBuilder().clearOwnershipSettings());
            if (!record.hasStaging()) {
                earlier.clearStaging();
            }
            VolumeEntry read = EntryCodec.decode(earlier.build());
            assertThat(read.uses())
                    .allMatch(use -> use.terms().ownershipSettings().equals(OwnershipSettings.ofDefaults()));
            assertThat(EntryCodec.encode(read)).isEqualTo(earlier.build());
            without += read.uses().size();
        }
        assertThat(without).isPositive();
    }

    @Test
    void everyRecordIsTheSameAfterItWasWrittenAndRead() throws UnusableFileException {
        Set<VolumeEntry> different = new HashSet<>();
        for (int run = 0; run < 500; run++) {
            VolumeEntry entry = entry();
            different.add(entry);
            assertThat(EntryCodec.decode(EntryCodec.encode(entry))).isEqualTo(entry);
        }
        assertThat(different).hasSizeGreaterThan(400);
    }
}
