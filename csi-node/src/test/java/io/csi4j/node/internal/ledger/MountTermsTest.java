package io.csi4j.node.internal.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.Bench;
import io.csi4j.node.MountSecrets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MountTermsTest {
    private static final Optional<ExternalNodeId> HERE = Optional.of(ExternalNodeId.of("here"));
    private static final Optional<ExternalNodeId> THERE = Optional.of(ExternalNodeId.of("there"));

    private static MountTerms terms(
            RequestedCapability capability, String fsType, String flag, boolean readonly, String context) {
        return new MountTerms(
                capability,
                MountOptions.of(fsType),
                MountFlags.of(flag),
                readonly,
                PublishContext.of(Map.of("k", context)),
                VolumeContext.empty(),
                HERE,
                false,
                VolumeContext.empty(),
                false,
                OwnershipSettings.ofDefaults());
    }

    @Test
    void ownershipSettingsAreNoPartOfTheStaging() {
        MountTerms terms = terms(Bench.MANY, "ext4", "noatime", false, "1");
        MountTerms other = new MountTerms(
                terms.capability(),
                terms.mountOptions(),
                terms.targetFlags(),
                terms.readonly(),
                terms.publishContext(),
                terms.volumeContext(),
                terms.machine(),
                terms.inline(),
                terms.workloadInfo(),
                terms.labelByMount(),
                new OwnershipSettings(false, List.of(".snapshot")));
        assertThat(terms.stagedAs(other)).isTrue();
        assertThat(terms.publishedBeside(other)).isTrue();
        assertThat(terms.sameOptions(other)).isTrue();
        assertThat(List.of(other.withoutGroup(), other.withoutWorkload(), other.on(THERE), other.withLabelFlag()))
                .allMatch(changed -> changed.ownershipSettings().equals(other.ownershipSettings()));
    }

    @Test
    void machineIsReplacedOnlyByAnotherKnownOne() {
        MountTerms terms = terms(Bench.MANY, "ext4", "noatime", false, "1");
        assertThat(terms.on(Optional.empty())).isSameAs(terms);
        assertThat(terms.on(HERE)).isSameAs(terms);
        assertThat(terms.on(THERE).machine()).isEqualTo(THERE);
        assertThat(terms.on(THERE).on(HERE)).isEqualTo(terms);
    }

    @Test
    void mountsShareStagingOrVolumeByTheirOptions() {
        RequestedCapability one = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_SINGLE_WRITER);
        MountTerms terms = terms(Bench.MANY, "ext4", "noatime", false, "1");
        MountTerms otherContext = terms(Bench.MANY, "ext4", "noatime", false, "2");
        MountTerms otherFlag = terms(Bench.MANY, "ext4", "nosuid", false, "1");
        MountTerms readonly = terms(Bench.MANY, "ext4", "noatime", true, "1");
        MountTerms otherType = terms(Bench.MANY, "xfs", "noatime", false, "1");
        MountTerms otherMode = terms(one, "ext4", "noatime", false, "1");
        List<MountTerms> others = List.of(otherContext, otherFlag, readonly, otherType, otherMode);
        assertThat(others.stream().filter(terms::sameOptions)).containsExactly(otherContext);
        assertThat(others.stream().filter(terms::stagedAs)).containsExactly(otherContext, otherFlag, readonly);
        assertThat(others.stream().filter(terms::publishedBeside))
                .containsExactly(otherContext, otherFlag, readonly, otherType);
    }

    @Test
    void secretsAreMissingIfTheRequestHadThem() {
        Secrets some = Secrets.of(Map.of("k", "v"));
        Secrets none = Secrets.empty();
        for (boolean hadStage : new boolean[] {false, true}) {
            for (boolean hadPublish : new boolean[] {false, true}) {
                HadSecrets had = new HadSecrets(hadStage, hadPublish);
                assertThat(had.missingIn(new MountSecrets(some, some))).isFalse();
                assertThat(had.missingIn(new MountSecrets(some, none))).isEqualTo(hadPublish);
                assertThat(had.missingIn(new MountSecrets(none, some))).isEqualTo(hadStage);
                assertThat(had.or(HadSecrets.NONE)).isEqualTo(had);
                assertThat(HadSecrets.NONE.or(had)).isEqualTo(had);
                assertThat(HadSecrets.of(new MountSecrets(hadStage ? some : none, hadPublish ? some : none)))
                        .isEqualTo(had);
            }
        }
        assertThat(new HadSecrets(true, true).missingIn(new MountSecrets(none, none)))
                .isTrue();
        assertThat(HadSecrets.NONE.missingIn(new MountSecrets(none, none))).isFalse();
    }
}
