package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.spec;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The rows and effects of commands about volumes and their creations. */
class StoredVolumesTest {
    private final Cluster cluster = Cluster.attaching().nodes("n1");

    private static VolumeCommand.RegisterVolume create(String id, VolumeSpec spec) {
        return new VolumeCommand.RegisterVolume(vol(id), spec, VolumeOrigin.CREATED, ProviderFacts.none(), AT);
    }

    private static VolumeSpec.Builder single() {
        return spec(SINGLE_NODE_WRITER);
    }

    private static VolumeCommand.RecordProviderFacts made(String id, String externalId) {
        return new VolumeCommand.RecordProviderFacts(
                vol(id),
                ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of(externalId))
                        .build(),
                AT);
    }

    private static VolumeCommand.SetVolumePhase phase(String id, VolumePhase phase) {
        return new VolumeCommand.SetVolumePhase(vol(id), phase, AT);
    }

    private void stores(String id, Command command) {
        assertThat(effects(cluster.ok(command), Effect.VolumeStored.class))
                .as("%s", command)
                .containsExactly(new Effect.VolumeStored(cluster.get(id), false));
    }

    @Test
    void eachCommandThatStoresAVolumeReturnsItAlsoIfNothingChanges() {
        VolumeCommand.RegisterVolume create = create("v", single().build());
        cluster.ok(create);
        for (Command command : List.of(
                create,
                made("v", "ext-v"),
                made("v", "ext-v"),
                new VolumeCommand.MarkForGc(vol("v"), AT),
                new VolumeCommand.UpdateVolume(vol("v"), cluster.get("v").spec(), 0, AT),
                phase("v", VolumePhase.DELETING),
                phase("v", VolumePhase.DELETING),
                phase("v", VolumePhase.AVAILABLE))) {
            stores("v", command);
        }
    }

    private void begun(String id, VolumeSpec spec) {
        cluster.ok(create(id, spec));
        cluster.ok(new CallCommand.BeginCall(vol(id), creation(id), AT));
    }

    private CallTarget creation(String id) {
        return new CallTarget.OfVolume(cluster.get(id).createIndex(), VolumePhase.CREATING);
    }

    @Test
    void madeVolumeHasNoFailedAttempts() {
        cluster.ok(create("v", single().build()));
        cluster.ok(new CallCommand.RecordCallError(
                vol("v"), creation("v"), Attempt.failed("busy", AT.plusSeconds(1)), AT));
        cluster.ok(new VolumeCommand.RecordProviderFacts(
                vol("v"), ProviderFacts.builder().capacityBytes(5).build(), AT));
        assertThat(cluster.get("v").retry().attempts())
                .as("the volume is not made yet")
                .isEqualTo(1);
        cluster.ok(made("v", "ext-v"));
        assertThat(cluster.get("v").retry()).isEqualTo(Retry.none());
    }

    private WithdrawnCreation withdrawn(String name) {
        return cluster.state
                .withdrawnCreation(new WithdrawnCreation.Key(PLUGIN, name))
                .orElseThrow();
    }

    private VolumeCommand.WithdrawCreation withdraw(String id, long index) {
        return new VolumeCommand.WithdrawCreation(vol(id), index, "ann", "not needed", AT);
    }

    private WithdrawnCreationCommand.RecordLateAnswer answer(
            WithdrawnCreation row, long createIndex, long call, String externalId) {
        return new WithdrawnCreationCommand.RecordLateAnswer(
                row.key(),
                createIndex,
                call,
                Optional.of(externalId).filter(id -> !id.isEmpty()).map(ExternalVolumeId::of),
                AT);
    }

    @Test
    void withdrawnCreationIsKeptUntilItsLastCallIsAnswered() {
        begun("v", single().name("disk").build());
        long index = cluster.get("v").createIndex();
        cluster.refused(Rejection.VolumeNotFound.class, withdraw("v", index + 1));
        cluster.ok(withdraw("v", index));
        WithdrawnCreation row = withdrawn("disk");
        assertThat(cluster.refused(
                                Rejection.InvalidRequest.class,
                                create("w", single().name("disk").build()))
                        .message())
                .contains("the withdrawn creation of volume default/v");
        cluster.unchanged(answer(row, row.createIndex() + 1, row.lastCall(), ""));
        cluster.unchanged(answer(row, row.createIndex(), row.lastCall() + 1, ""));
        cluster.ok(answer(row, row.createIndex(), row.lastCall(), ""));
        assertThat(cluster.state.withdrawnCreations()).isEmpty();
    }

    @Test
    void volumeThatAWithdrawnCreationMadeIsKeptUntilARowHasIt() {
        for (String name : List.of("one", "two", "three")) {
            begun(name, single().name(name).build());
            cluster.ok(withdraw(name, cluster.get(name).createIndex()));
        }
        WithdrawnCreation one = withdrawn("one");
        cluster.ok(answer(one, one.createIndex(), 0, "ext-one"));
        assertThat(withdrawn("one").externalVolumeId()).contains(ExternalVolumeId.of("ext-one"));
        cluster.ok(Cluster.register(
                "other",
                single().externalVolumeId(ExternalVolumeId.of("ext-other")).build()));
        assertThat(cluster.state.withdrawnCreations()).hasSize(3);
        cluster.ok(Cluster.register(
                "taken",
                single().externalVolumeId(ExternalVolumeId.of("ext-one")).build()));
        assertThat(cluster.state.withdrawnCreations()).hasSize(2);
        WithdrawnCreation two = withdrawn("two");
        cluster.ok(answer(two, two.createIndex(), 0, "ext-other"));
        assertThat(cluster.state.withdrawnCreations()).as("volume other is it").hasSize(1);
        WithdrawnCreation three = withdrawn("three");
        cluster.ok(answer(three, three.createIndex(), 0, "ext-three"));
        cluster.ok(create("again", single().build()));
        cluster.ok(made("again", "ext-three"));
        assertThat(cluster.state.withdrawnCreations()).isEmpty();
    }

    @Test
    void operatorForgetsTheWithdrawnCreationThatHeHasSeen() {
        begun("v", single().name("disk").build());
        cluster.ok(new VolumeCommand.ForgetVolume(vol("v"), 0, "ann", "it is gone", AT));
        WithdrawnCreation row = withdrawn("disk");
        cluster.unchanged(new WithdrawnCreationCommand.ForgetWithdrawnCreation(
                row.key(), row.createIndex() + 1, "ann", "clean", AT));
        cluster.ok(
                new WithdrawnCreationCommand.ForgetWithdrawnCreation(row.key(), row.createIndex(), "ann", "clean", AT));
        assertThat(cluster.state.withdrawnCreations()).isEmpty();
    }

    @Test
    void creationTakesTheLeftoverOfItsExternalIdOver() {
        cluster.ok(Cluster.register(
                "v", single().externalVolumeId(ExternalVolumeId.of("ext-v")).build()));
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        cluster.ended("a", "n1");
        cluster.ok(new VolumeCommand.ForgetVolume(vol("v"), 0, "ann", "it is gone", AT));
        cluster.ok(create("w", single().build()));
        cluster.ok(made("w", "ext-v"));
        assertThat(cluster.claimOf("w", "a")).isPresent();
        assertThat(cluster.state.leftovers()).isEmpty();
    }

    @Test
    void volumeThatIsBeingDeletedIsNoSource() {
        cluster.ok(Cluster.register(
                "v", single().externalVolumeId(ExternalVolumeId.of("ext-v")).build()));
        VolumeCommand.RegisterVolume copy = create(
                "copy",
                single().contentSource(VolumeContentSource.volume(ExternalVolumeId.of("ext-v")))
                        .build());
        cluster.ok(phase("v", VolumePhase.DELETING));
        assertThat(cluster.refused(Rejection.InvalidRequest.class, copy).message())
                .contains("contentSource", "default/v");
        cluster.ok(phase("v", VolumePhase.AVAILABLE));
        cluster.ok(copy);
    }

    @Test
    void commandIsAppliedAtTheIndexOfTheStateAndNotBelowIt() {
        long index = cluster.state.index();
        assertThat(cluster.state.apply(index, create("v", single().build())).accepted())
                .isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cluster.state.apply(index - 1, create("w", single().build())))
                .withMessageContaining("below that of the state");
    }
}
