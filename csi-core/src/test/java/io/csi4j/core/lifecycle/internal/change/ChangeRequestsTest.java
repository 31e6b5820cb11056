package io.csi4j.core.lifecycle.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.lifecycle.VolumeRemovedException;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The calls that count for each request for a change, the intent that it stores, and the result that it reads from the row. */
class ChangeRequestsTest {
    private static final VolumeKey KEY = VolumeKey.of("ns", "v");
    private static final CapacityRange RANGE = CapacityRange.atLeast(200);
    private static final RequestedCapability CAPABILITY =
            RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final Claim CLAIM = Claim.builder(AllocationId.of("a"), NodeId.of("n1"), ClaimMode.WRITE, CAPABILITY)
            .build();
    private static final Attempt REFUSAL = new Attempt("there is no room", Optional.empty());

    private final NaiveState state = new NaiveState();

    private static Volume volume(long capacity, UnaryOperator<Volume.Builder> change) {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("p"))
                .requestedCapabilities(List.of(CAPABILITY))
                .build();
        return change.apply(Volume.builder(KEY, spec, 1, Instant.EPOCH)
                        .origin(VolumeOrigin.CREATED)
                        .facts(ProviderFacts.builder().capacityBytes(capacity).build()))
                .build();
    }

    private static Volume volume(long capacity) {
        return volume(capacity, same -> same);
    }

    private <R> Optional<R> result(ChangeRequest<R> request, Volume asked, Volume now) {
        state.putVolume(now);
        return request.result(state, asked);
    }

    private Optional<Volume> expanded(Volume now) {
        return result(new ExpandRequest(KEY, RANGE), volume(100), now);
    }

    private static Volume expanding(long capacity, Expansion expansion) {
        return volume(capacity, row -> row.expansion(expansion));
    }

    @Test
    void requestTakesOnlyItsOwnCalls() {
        CallTarget creation = new CallTarget.OfVolume(1, VolumePhase.CREATING);
        CallTarget deletion = new CallTarget.OfVolume(1, VolumePhase.DELETING);
        CallTarget expansion = new CallTarget.OfExpansion(RANGE);
        CallTarget another = new CallTarget.OfExpansion(CapacityRange.atLeast(300));
        CallTarget change = new CallTarget.OfModification(7);
        CallTarget onNode = new CallTarget.OfNodeExpansion(AllocationId.of("a"), 3, RANGE);
        CallTarget onNodeToAnother =
                new CallTarget.OfNodeExpansion(AllocationId.of("a"), 3, CapacityRange.atLeast(300));
        List<CallTarget> all = List.of(creation, deletion, expansion, another, change, onNode, onNodeToAnother);
        Volume row = volume(100, volume -> volume.modification(Modification.of(Map.of("a", "1", "b", "2"), 7)));

        assertThat(all.stream().filter(call -> new CreateRequest(KEY, row.spec()).include(call, row)))
                .containsExactly(creation);
        VolumeTemplate template =
                VolumeTemplate.builder(VolumeClassName.of("fast")).build();
        assertThat(all.stream().filter(call -> new ClassCreateRequest(KEY, template).include(call, row)))
                .containsExactly(creation);
        assertThat(all.stream().filter(call -> new DeleteRequest(KEY).include(call, row)))
                .containsExactly(deletion);
        assertThat(all.stream().filter(call -> new ExpandRequest(KEY, RANGE).include(call, row)))
                .containsExactly(expansion);
        assertThat(all.stream().filter(call -> new NodeParts(KEY, RANGE).include(call, row)))
                .containsExactly(onNode);
        assertThat(all.stream().filter(call -> new ModifyRequest(KEY, Map.of("a", "1")).include(call, row)))
                .containsExactly(change);
        assertThat(new ModifyRequest(KEY, Map.of("a", "other")).include(change, row))
                .as("the change in the row is another one")
                .isFalse();
    }

    @Test
    void expansionIsDueOnlyForMoreThanTheVolumeHas() {
        Volume exact = volume(200);
        Volume smaller = volume(199);
        Volume unsettled = volume(200, row -> row.unsettledTargets(List.of(500L)));
        Volume repeated = volume(
                200,
                row -> row.spec(row.build().spec().toBuilder()
                                .capacityRange(RANGE)
                                .build())
                        .claims(Claims.of(List.of(CLAIM))));
        Volume unused = repeated.toBuilder().claims(Claims.empty()).build();
        ExpandRequest request = new ExpandRequest(KEY, RANGE);
        for (Volume row : List.of(exact, smaller, unsettled, repeated, unused)) {
            state.putVolume(row);
            boolean due = List.of(smaller, unsettled, repeated).contains(row);
            assertThat(request.intent(state, Optional.of(row), Instant.EPOCH))
                    .as("%s", row)
                    .isInstanceOf(due ? ChangeCommand.BeginExpansion.class : VolumeCommand.UpdateVolume.class);
            if (due) {
                assertThatThrownBy(() -> request.check(state))
                        .isInstanceOf(CsiRequestException.class)
                        .hasMessageContaining("no node has reported such a plugin");
            } else {
                assertThat(request.check(state)).as("no plugin is needed").contains(row);
                assertThat(request.result(state, row)).contains(row);
            }
        }
        CapacityRange atMost = CapacityRange.between(0, 500);
        Volume limited = repeated.toBuilder()
                .spec(repeated.spec().toBuilder().capacityRange(atMost).build())
                .build();
        state.putVolume(limited);
        assertThat(new ExpandRequest(KEY, atMost).intent(state, Optional.of(limited), Instant.EPOCH))
                .as("a limit asks for no bytes")
                .isInstanceOf(VolumeCommand.UpdateVolume.class);
    }

    @Test
    void callerLearnsWhatBecameOfTheExpansion() {
        Expansion asked = Expansion.to(RANGE);
        assertThat(expanded(expanding(200, asked.grown())))
                .as("only nodes are left")
                .isPresent();
        assertThat(expanded(volume(200))).isPresent();
        assertThatThrownBy(() -> expanded(volume(199)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("withdrawn, or replaced");
        assertThatThrownBy(() -> expanded(expanding(100, asked.failed(REFUSAL))))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("there is no room");
        assertThatThrownBy(() -> expanded(expanding(100, asked)))
                .isInstanceOf(UnfinishedException.class)
                .hasMessageContaining("no node has reported such a plugin");

        Expansion larger = Expansion.to(CapacityRange.atLeast(300));
        assertThat(expanded(expanding(200, larger)))
                .as("the newer one is not waited for")
                .isPresent();
        assertThatThrownBy(() -> expanded(expanding(199, larger)))
                .isInstanceOf(UnfinishedException.class)
                .hasMessageContaining("waits for a newer one");
        assertThatThrownBy(() -> expanded(another())).isInstanceOf(VolumeRemovedException.class);
    }

    private static Volume another() {
        return Volume.builder(KEY, volume(200).spec(), 2, Instant.EPOCH)
                .facts(ProviderFacts.builder().capacityBytes(200).build())
                .build();
    }

    @Test
    void lostVolumeIsChangedNoFurther() {
        Verification lost = Verification.asked(1)
                .notFound(1, new Attempt("not found", Optional.of(Instant.EPOCH)), Instant.EPOCH)
                .notFound(2, new Attempt("not found", Optional.of(Instant.EPOCH)), Instant.EPOCH);
        Volume row = volume(
                100,
                volume -> volume.verification(lost)
                        .expansion(Expansion.to(RANGE))
                        .modification(Modification.of(Map.of("a", "1"), 7)));
        assertThatThrownBy(() -> expanded(row))
                .isInstanceOf(UnfinishedException.class)
                .hasMessageContaining("names a volume that is lost");
        ModifyRequest change = new ModifyRequest(KEY, Map.of("a", "1"));
        assertThatThrownBy(() -> result(change, row, row))
                .isInstanceOf(UnfinishedException.class)
                .hasMessageContaining("names a volume that is lost");
        assertThatThrownBy(() -> change.check(state)).isInstanceOf(RejectedException.class);
    }

    @Test
    void callerLearnsWhatBecameOfTheChange() {
        ModifyRequest change = new ModifyRequest(KEY, Map.of("a", "1"));
        Modification asked = Modification.of(Map.of("a", "1", "b", "2"), 7);
        Volume before = volume(100);
        assertThat(result(change, before, volume(100, row -> row.modification(asked))))
                .isEmpty();
        assertThatThrownBy(() -> result(change, before, volume(100, row -> row.modification(asked.failed(REFUSAL)))))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("there is no room");
        assertThatThrownBy(() -> result(change, before, volume(100)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("took the place of this one");
        assertThatThrownBy(() -> result(
                        change, before, volume(100, row -> row.modification(Modification.of(Map.of("a", "2"), 8)))))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("took the place of this one");
    }

    @Test
    void deletionEndsWhenItsOwnVolumeIsGone() {
        DeleteRequest deletion = new DeleteRequest(KEY);
        Volume asked = volume(100);
        assertThat(result(deletion, asked, volume(100, row -> row.phase(VolumePhase.DELETING))))
                .isEmpty();
        assertThat(result(deletion, asked, another()))
                .as("another volume has the key")
                .contains(true);
        assertThatThrownBy(() -> result(deletion, asked, volume(100)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("was withdrawn");
    }

    /** A repeated creation could make once more what was deleted meanwhile. */
    @Test
    void onlyCreationsAreNotStoredAgainWhenTheLogDidNotAnswer() {
        Volume row = volume(100);
        VolumeTemplate template =
                VolumeTemplate.builder(VolumeClassName.of("fast")).build();
        assertThat(new CreateRequest(KEY, row.spec()).repeatable()).isFalse();
        assertThat(new ClassCreateRequest(KEY, template).repeatable()).isFalse();
        assertThat(new DeleteRequest(KEY).repeatable()).isTrue();
        assertThat(new ExpandRequest(KEY, RANGE).repeatable()).isTrue();
        assertThat(new ModifyRequest(KEY, Map.of("a", "1")).repeatable()).isTrue();
    }
}
