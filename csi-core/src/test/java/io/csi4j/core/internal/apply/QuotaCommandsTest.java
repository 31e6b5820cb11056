package io.csi4j.core.internal.apply;

import static io.csi4j.core.internal.apply.Cluster.AT;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Problem;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.Rejection.QuotaExceeded;
import io.csi4j.core.command.Rejection.QuotaExceeded.Excess;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.QuotaCommand.PutQuota;
import io.csi4j.core.internal.command.QuotaCommand.RemoveQuota;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.QuotaUse.Amount;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class QuotaCommandsTest {
    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final VolumeClassName FAST = VolumeClassName.of("fast");
    private static final QuotaKey ALL = QuotaKey.of(NAMESPACE);
    private static final QuotaKey OF_FAST = QuotaKey.of(NAMESPACE, FAST);
    private static final long GIB = 1L << 30;
    private static final long MIB = 1L << 20;

    private final Cluster cluster = Cluster.attaching();

    private static PutQuota put(QuotaKey key, long volumes, long bytes) {
        return new PutQuota(new VolumeQuota(key, limit(volumes), limit(bytes)), 0, AT);
    }

    /** Returns a limit; none for a negative number. */
    private static OptionalLong limit(long number) {
        return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
    }

    private static VolumeSpec.Builder spec() {
        return Cluster.spec(VolumeAccessMode.SINGLE_NODE_WRITER);
    }

    private static VolumeCommand.RegisterVolume create(String id, long bytes) {
        return create(
                Cluster.vol(id),
                spec().capacityRange(CapacityRange.atLeast(bytes)).build());
    }

    private static VolumeCommand.RegisterVolume create(VolumeKey key, VolumeSpec spec) {
        return new VolumeCommand.RegisterVolume(key, spec, VolumeOrigin.CREATED, ProviderFacts.none(), AT);
    }

    private static VolumeCommand.RegisterVolume register(String id, long bytes) {
        return new VolumeCommand.RegisterVolume(
                Cluster.vol(id),
                spec().build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none().toBuilder().capacityBytes(bytes).build(),
                AT);
    }

    private static VolumeCommand.RecordProviderFacts answer(String id, long bytes) {
        return new VolumeCommand.RecordProviderFacts(
                Cluster.vol(id),
                ProviderFacts.none().toBuilder()
                        .externalVolumeId(ExternalVolumeId.of("ext-" + id))
                        .capacityBytes(bytes)
                        .build(),
                AT);
    }

    private static ChangeCommand.BeginExpansion expand(String id, long bytes) {
        return new ChangeCommand.BeginExpansion(Cluster.vol(id), CapacityRange.atLeast(bytes), AT);
    }

    private ChangeCommand.RecordExpanded expanded(String id, long asked, long answered) {
        return new ChangeCommand.RecordExpanded(
                Cluster.vol(id), cluster.get(id).createIndex(), CapacityRange.atLeast(asked), answered, false, AT);
    }

    private static CallCommand.RecordCallError failed(String id, long asked, Attempt attempt) {
        return new CallCommand.RecordCallError(
                Cluster.vol(id), new CallTarget.OfExpansion(CapacityRange.atLeast(asked)), attempt, AT);
    }

    private QuotaUse use(QuotaKey key) {
        return cluster.state.quotaUse(key);
    }

    private List<Excess> exceeded(Command command) {
        return cluster.refused(QuotaExceeded.class, command).excesses();
    }

    private static Excess volumes(QuotaKey key, long limit, long used) {
        return new Excess(key, Excess.Unit.VOLUMES, limit, used, 1);
    }

    private static Excess bytes(QuotaKey key, long limit, long used, long asked) {
        return new Excess(key, Excess.Unit.BYTES, limit, used, asked);
    }

    private List<String> fields(Command command) {
        return cluster.refused(Rejection.InvalidRequest.class, command).problems().stream()
                .map(Problem::field)
                .toList();
    }

    private void withClass() {
        cluster.nodes("n1");
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .capabilities(Capabilities.unknown()
                                .withServices(PluginService.CONTROLLER_SERVICE)
                                .withNode()
                                .withController(ControllerCapability.CREATE_DELETE_VOLUME))
                        .build());
        cluster.ok(new VolumeClassCommand.PutVolumeClass(
                VolumeClass.builder(FAST, Cluster.PLUGIN)
                        .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                        .build(),
                0,
                AT));
    }

    private static VolumeCommand.CreateFromClass fromClass(String id, long bytes) {
        VolumeTemplate.Builder template = VolumeTemplate.builder(FAST);
        if (bytes > 0) {
            template.capacityRange(CapacityRange.atLeast(bytes));
        }
        return new VolumeCommand.CreateFromClass(Cluster.vol(id), template.build(), AT);
    }

    @Test
    void replacedQuotaKeepsItsIncarnationAndRemovedOneDoesNot() {
        cluster.ok(put(ALL, 5, -1));
        long first = cluster.state.index();
        cluster.ok(put(ALL, 5, 100));
        assertThat(cluster.state.quota(ALL))
                .contains(new VolumeQuota(ALL, limit(5), limit(100), first, cluster.state.index()));
        cluster.unchanged(put(ALL, 5, 100));
        cluster.ok(new RemoveQuota(ALL, first, AT));
        assertThat(cluster.state.quotas()).isEmpty();
        cluster.unchanged(new RemoveQuota(ALL, 0, AT));
        cluster.ok(put(ALL, 5, 100));
        // A removal that is applied late does not remove the next quota of this key.
        cluster.unchanged(new RemoveQuota(ALL, first, AT));
        assertThat(cluster.state.quota(ALL)).isPresent();
    }

    @Test
    void changeOfAnOldVersionIsRefused() {
        cluster.ok(put(ALL, 5, -1));
        long index = cluster.state.index();
        VolumeQuota other = new VolumeQuota(ALL, limit(6), limit(-1));
        assertThat(cluster.refused(Rejection.QuotaChanged.class, new PutQuota(other, index + 7, AT)))
                .isEqualTo(new Rejection.QuotaChanged(ALL, index + 7, index));
        assertThat(cluster.refused(
                                Rejection.QuotaChanged.class,
                                new PutQuota(new VolumeQuota(OF_FAST, limit(6), limit(-1)), 3, AT))
                        .message())
                .isEqualTo("the quota of namespace default, class fast does not exist, and the request expects index 3;"
                        + " read the quota again and repeat");
        cluster.ok(new PutQuota(other, index, AT));
    }

    @Test
    void negativeLimitsAndNoLimitsAreRefusedTogether() {
        assertThat(fields(new PutQuota(new VolumeQuota(ALL, OptionalLong.of(-1), OptionalLong.of(-2)), 0, AT)))
                .containsExactly("volumes", "bytes");
        assertThat(fields(put(ALL, -1, -1))).containsExactly("volumes");
        // A quota for a class that does not exist is a quota.
        cluster.ok(put(QuotaKey.of(NAMESPACE, VolumeClassName.of("unknown")), 0, -1));
    }

    @Test
    void useEqualsTheLimitAndNotMore() {
        cluster.ok(put(ALL, 2, 1000));
        cluster.ok(create("a", 400));
        cluster.ok(create("b", 600));
        assertThat(exceeded(create("c", 1))).containsExactly(volumes(ALL, 2, 2), bytes(ALL, 1000, 1000, 1));
        assertThat(cluster.refused(QuotaExceeded.class, create("c", 1)).message())
                .isEqualTo(
                        "volume default/c would exceed its quota: the quota of namespace default permits 2 volumes, of"
                                + " which 2 are used, and 1 more are asked for; the quota of namespace default permits 1000"
                                + " bytes, of which 1000 bytes are used, and 1 bytes more are asked for; ask for less, delete volumes, or"
                                + " let an operator raise the limit");
        // Repetitions raise nothing, and other namespaces have other quotas.
        cluster.unchanged(create("a", 400));
        cluster.ok(create(VolumeKey.of("other", "c"), create("c", 4000).spec()));
    }

    @Test
    void quotaOfTheClassAndOfTheNamespaceAreBothChecked() {
        withClass();
        cluster.ok(put(ALL, 3, -1));
        cluster.ok(put(OF_FAST, 1, 500));
        cluster.ok(create("plain", 1));
        cluster.ok(fromClass("a", 500));
        assertThat(exceeded(fromClass("b", 7))).containsExactly(volumes(OF_FAST, 1, 1), bytes(OF_FAST, 500, 500, 7));
        cluster.ok(create("other", 1));
        assertThat(exceeded(fromClass("b", 7)))
                .containsExactly(volumes(ALL, 3, 3), volumes(OF_FAST, 1, 1), bytes(OF_FAST, 500, 500, 7));
        assertThat(use(ALL).volumes()).isEqualTo(3);
        assertThat(use(OF_FAST))
                .isEqualTo(new QuotaUse(new Amount(0, 0), new Amount(1, 500), new Amount(0, 0), new Amount(0, 0)));
        // The class has gone, and its volume counts as before.
        cluster.ok(new VolumeClassCommand.RemoveVolumeClass(FAST, 0, AT));
        assertThat(use(OF_FAST).bytes()).isEqualTo(500);
    }

    @Test
    void creationWithoutASizeIsRefusedIfAQuotaLimitsBytes() {
        // The size of the answer is unknown, so any quota could be exceeded.
        withClass();
        cluster.ok(put(ALL, 9, -1));
        cluster.ok(create(Cluster.vol("free"), spec().build()));
        cluster.ok(put(OF_FAST, -1, 500));
        cluster.ok(create(Cluster.vol("other"), spec().build()));
        assertThat(fields(fromClass("a", 0))).containsExactly("capacityRange");
        cluster.ok(put(ALL, -1, 500));
        assertThat(fields(create(Cluster.vol("a"), spec().build()))).containsExactly("capacityRange");
        assertThat(fields(create(
                        Cluster.vol("a"),
                        spec().capacityRange(new CapacityRange(0, 9)).build())))
                .containsExactly("capacityRange");
        // The repetition of a creation from before the quota is no creation.
        cluster.unchanged(create(Cluster.vol("free"), spec().build()));
        cluster.ok(create("a", 5));
    }

    @Test
    void limitBelowTheUseTakesNothingAwayAndClosesTheDoor() {
        cluster.ok(create("a", 400));
        cluster.ok(answer("a", 400));
        cluster.ok(put(ALL, 0, 100));
        assertThat(exceeded(create("b", 1))).containsExactly(volumes(ALL, 0, 1), bytes(ALL, 100, 400, 1));
        assertThat(exceeded(register("b", 1))).hasSize(2);
        assertThat(exceeded(expand("a", 401))).containsExactly(bytes(ALL, 100, 400, 1));
        // These raise nothing.
        cluster.ok(expand("a", 300));
        cluster.ok(new VolumeCommand.SetVolumePhase(Cluster.vol("a"), VolumePhase.DELETING, AT));
        assertThat(use(ALL).deleting()).isEqualTo(new Amount(1, 400));
        cluster.ok(new VolumeCommand.SetVolumePhase(Cluster.vol("a"), VolumePhase.AVAILABLE, AT));
        cluster.ok(new VolumeCommand.SetVolumePhase(Cluster.vol("a"), VolumePhase.DELETING, AT));
        cluster.ok(new VolumeCommand.DeregisterVolume(Cluster.vol("a"), false, AT));
        assertThat(use(ALL)).isEqualTo(QuotaUse.none());
    }

    @Test
    void declarationOfARegisteredVolumeMayNotRaiseItOverTheLimit() {
        cluster.ok(register("a", 100));
        cluster.ok(put(ALL, 1, 150));
        VolumeSpec large = spec().capacityRange(CapacityRange.atLeast(151)).build();
        assertThat(exceeded(Cluster.register("a", large))).containsExactly(bytes(ALL, 150, 100, 51));
        assertThat(exceeded(new VolumeCommand.UpdateVolume(Cluster.vol("a"), large, 0, AT)))
                .hasSize(1);
        VolumeSpec fitting = spec().capacityRange(CapacityRange.atLeast(150)).build();
        cluster.ok(new VolumeCommand.UpdateVolume(Cluster.vol("a"), fitting, 0, AT));
        assertThat(use(ALL).ready()).isEqualTo(new Amount(1, 150));
    }

    @Test
    void targetThatWasLoweredCountsUntilTheProviderHasSettledIt() {
        cluster.ok(put(ALL, -1, 100));
        cluster.ok(create("a", 10));
        cluster.ok(answer("a", 10));
        cluster.ok(expand("a", 100));
        cluster.ok(failed("a", 100, Attempt.failed("deadline", AT.plusSeconds(1))));
        cluster.ok(expand("a", 20));
        assertThat(use(ALL).bytes()).isEqualTo(100);
        assertThat(cluster.get("a").unsettledTargets()).containsExactly(100L);
        assertThat(exceeded(create("b", 1))).containsExactly(bytes(ALL, 100, 100, 1));
        // The provider had done the first one: the answer says so.
        cluster.ok(expanded("a", 20, 100));
        assertThat(use(ALL).bytes()).isEqualTo(100);
        assertThat(cluster.get("a").unsettledTargets()).isEmpty();
    }

    @Test
    void targetThatTheProviderRefusedFinallyCountsNoMore() {
        cluster.ok(create("a", 10));
        cluster.ok(answer("a", 10));
        cluster.ok(expand("a", 100));
        cluster.ok(expand("a", 50));
        cluster.ok(expand("a", 20));
        assertThat(cluster.get("a").unsettledTargets()).containsExactly(50L, 100L);
        cluster.ok(failed("a", 100, Attempt.failed("deadline", AT.plusSeconds(1))));
        assertThat(use(ALL).bytes()).isEqualTo(100);
        cluster.ok(failed("a", 100, new Attempt("out of range", Optional.empty())));
        assertThat(use(ALL).bytes()).isEqualTo(50);
        cluster.unchanged(failed("a", 100, new Attempt("out of range", Optional.empty())));
        cluster.ok(expanded("a", 20, 20));
        assertThat(use(ALL).bytes()).isEqualTo(20);
        // A target that is refused while it is the present one leaves nothing unsettled.
        cluster.ok(expand("a", 70));
        cluster.ok(failed("a", 70, new Attempt("out of range", Optional.empty())));
        cluster.ok(expand("a", 30));
        assertThat(use(ALL).bytes()).isEqualTo(30);
    }

    @Test
    void withdrawnExpansionCountsUntilALaterOneHasSucceeded() {
        cluster.ok(create("a", 10));
        cluster.ok(answer("a", 10));
        cluster.ok(expand("a", 100));
        cluster.ok(new ChangeCommand.WithdrawExpansion(
                Cluster.vol("a"), cluster.get("a").createIndex(), CapacityRange.atLeast(100), AT));
        assertThat(use(ALL).bytes()).isEqualTo(100);
        cluster.ok(expand("a", 10));
        cluster.ok(expanded("a", 10, 10));
        assertThat(use(ALL).bytes()).isEqualTo(10);
    }

    @Test
    void reportedSizeSettlesTheSizesBelowIt() {
        cluster.ok(create("a", 10));
        cluster.ok(answer("a", 10));
        cluster.ok(expand("a", 100));
        cluster.ok(expand("a", 60));
        cluster.ok(expand("a", 20));
        cluster.ok(answer("a", 70));
        Volume volume = cluster.get("a");
        assertThat(volume.unsettledTargets()).containsExactly(100L);
        assertThat(volume.countedBytes()).isEqualTo(100);
    }

    @Test
    void atMostTheGreatestUnsettledSizesAreKept() {
        cluster.ok(create("a", 10));
        cluster.ok(answer("a", 10));
        for (int i = 0; i <= Volume.MOST_UNSETTLED_TARGETS + 1; i++) {
            cluster.ok(expand("a", 1000 - i));
        }
        assertThat(cluster.get("a").unsettledTargets())
                .hasSize(Volume.MOST_UNSETTLED_TARGETS)
                .contains(1000L)
                .doesNotContain(1000L - Volume.MOST_UNSETTLED_TARGETS);
    }

    @Test
    void answersThatAreLargerThanAskedAreReportedAndCloseTheDoor() {
        cluster.ok(put(ALL, -1, GIB));
        cluster.ok(create("a", MIB));
        cluster.ok(create("b", MIB));
        assertThat(Cluster.effects(cluster.ok(answer("a", GIB)), Effect.QuotaOverrun.class))
                .containsExactly(new Effect.QuotaOverrun(Cluster.vol("a"), bytes(ALL, GIB, 2 * MIB, GIB - MIB)));
        assertThat(Cluster.effects(cluster.ok(answer("b", GIB)), Effect.QuotaOverrun.class))
                .hasSize(1);
        assertThat(use(ALL).bytes()).isEqualTo(2 * GIB);
        assertThat(exceeded(create("c", MIB))).containsExactly(bytes(ALL, GIB, 2 * GIB, MIB));
        // The same answer again raises nothing.
        assertThat(Cluster.effects(cluster.ok(answer("b", GIB)), Effect.QuotaOverrun.class))
                .isEmpty();
        assertThat(Cluster.effects(cluster.ok(answer("b", GIB + 1)), Effect.QuotaOverrun.class))
                .hasSize(1);
    }

    @Test
    void oneByOneTheSecondIsRefused() {
        cluster.ok(put(ALL, -1, GIB));
        cluster.ok(create("a", MIB));
        assertThat(Cluster.effects(cluster.ok(answer("a", GIB)), Effect.QuotaOverrun.class))
                .isEmpty();
        assertThat(exceeded(create("b", MIB))).containsExactly(bytes(ALL, GIB, GIB, MIB));
    }

    @Test
    void expansionThatTheProviderMadeLargerIsReported() {
        cluster.ok(put(ALL, -1, 100));
        cluster.ok(create("a", 10));
        cluster.ok(answer("a", 10));
        assertThat(exceeded(expand("a", 101))).containsExactly(bytes(ALL, 100, 10, 91));
        cluster.ok(expand("a", 100));
        assertThat(Cluster.effects(cluster.ok(expanded("a", 100, 128)), Effect.QuotaOverrun.class))
                .containsExactly(new Effect.QuotaOverrun(Cluster.vol("a"), bytes(ALL, 100, 100, 28)));
    }

    @Test
    void withdrawnCreationCountsUntilItIsSettledAndItsAdoptionRaisesNothing() {
        cluster.ok(put(ALL, 1, 100));
        cluster.ok(create("a", 100));
        Volume volume = cluster.get("a");
        cluster.ok(new CallCommand.BeginCall(
                volume.key(), new CallTarget.OfVolume(volume.createIndex(), VolumePhase.CREATING), AT));
        cluster.ok(new VolumeCommand.WithdrawCreation(volume.key(), volume.createIndex(), "operator", "stuck", AT));
        assertThat(use(ALL).withdrawn()).isEqualTo(new Amount(1, 100));
        assertThat(exceeded(create("b", 1))).hasSize(2);
        var made = cluster.state.withdrawnCreations().iterator().next().made(ExternalVolumeId.of("ext-a"));
        cluster.state.putWithdrawnCreation(made);
        // The volume is adopted: it counted before.
        cluster.ok(put(ALL, 0, 50));
        cluster.ok(new VolumeCommand.RegisterVolume(
                Cluster.vol("adopted"),
                spec().externalVolumeId(ExternalVolumeId.of("ext-a")).build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none().toBuilder().capacityBytes(100).build(),
                AT));
        assertThat(use(ALL))
                .isEqualTo(new QuotaUse(new Amount(1, 100), new Amount(0, 0), new Amount(0, 0), new Amount(0, 0)));
    }

    @Test
    void volumesOfABatchAreCheckedAsOneSum() {
        cluster.ok(put(ALL, 2, 100));
        Rejection.InBatch refused = cluster.refused(
                Rejection.InBatch.class, new Batch(List.of(create("a", 50), create("b", 50), create("c", 1)), AT));
        assertThat(refused.position()).isEqualTo(2);
        assertThat(((QuotaExceeded) refused.cause()).excesses())
                .containsExactly(volumes(ALL, 2, 2), bytes(ALL, 100, 100, 1));
        assertThat(use(ALL)).isEqualTo(QuotaUse.none());
        cluster.ok(new Batch(List.of(create("a", 50), create("b", 50)), AT));
    }

    @Test
    void sumsBeyondTheGreatestNumberAreComparedWithoutOverflow() {
        long half = Long.MAX_VALUE / 2;
        cluster.ok(put(ALL, Long.MAX_VALUE, Long.MAX_VALUE));
        cluster.ok(create("a", half));
        cluster.ok(create("b", half));
        assertThat(exceeded(create("c", half))).containsExactly(bytes(ALL, Long.MAX_VALUE, Long.MAX_VALUE - 1, half));
        cluster.ok(new RemoveQuota(ALL, 0, AT));
        cluster.ok(create("c", half));
        assertThat(use(ALL).bytes()).isEqualTo(Long.MAX_VALUE);
        cluster.ok(put(ALL, -1, Long.MAX_VALUE));
        assertThat(exceeded(create("d", 1))).containsExactly(bytes(ALL, Long.MAX_VALUE, Long.MAX_VALUE, 1));
        cluster.ok(new VolumeCommand.DeregisterVolume(Cluster.vol("c"), true, AT));
        assertThat(use(ALL).bytes()).isEqualTo(Long.MAX_VALUE - 1);
        Outcome fits = cluster.state.apply(create("d", 1));
        assertThat(fits.accepted()).isTrue();
    }
}
