package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.step.VerifyStep;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The names of a volume in the parameters of CreateVolume: decided once, when the creation is stored. */
class ExtraMetadataTest extends TemplateRig {
    private static final Map<String, String> OWN = Map.of("type", "fast");
    private static final VolumeKey DB = VolumeKey.of("default", "db");

    private void put(boolean extraMetadata) {
        rig.done(leader.cluster()
                .putPluginProfile(
                        PluginProfile.builder(VolumeRig.PLUGIN)
                                .extraMetadata(extraMetadata)
                                .workloadInfo(!extraMetadata)
                                .build(),
                        0));
    }

    private static VolumeSpec spec(Map<String, String> parameters) {
        return VolumeRig.spec().parameters(parameters).build();
    }

    private CompletableFuture<Volume> create() {
        return leader.volumes().create(DB, spec(OWN));
    }

    private static Map<String, String> described(Map<String, String> own, String volume, String name) {
        Map<String, String> all = new HashMap<>(own);
        all.put("csi.storage.k8s.io/pvc/name", volume);
        all.put("csi.storage.k8s.io/pvc/namespace", "default");
        all.put("csi.storage.k8s.io/pv/name", name);
        return all;
    }

    @Test
    void creationSaysForWhichVolumeItIsOnlyIfTheProfileAsksForIt() {
        rig.done(create());
        put(false);
        rig.done(leader.volumes().create(VolumeKey.of("default", "db-2"), spec(OWN)));
        put(true);
        VolumeKey third = VolumeKey.of("default", "db-3");
        Volume made = rig.done(leader.volumes().create(third, spec(OWN)));
        assertThat(creations()).extracting(CreateVolumeRequest::parameters).startsWith(OWN, OWN);
        assertThat(creations().get(2).parameters())
                .isEqualTo(described(OWN, "db-3", creations().get(2).name()));
        assertThat(creations().get(2).name()).isEqualTo(made.name());
        assertThat(made.spec().parameters()).as("the host's parameters").isEqualTo(OWN);
        assertThat(made.toString()).doesNotContain("pvc/name");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void repeatedCallsAreEqualAfterTheProfileWasChangedAndTheLeader(boolean before) {
        put(before);
        rig.gateway.lose(Rpc.CREATE_VOLUME, StatusCode.UNAVAILABLE).lose(Rpc.CREATE_VOLUME, StatusCode.UNAVAILABLE);
        CompletableFuture<Volume> first = create();
        while (creations().isEmpty()) {
            rig.clock.advance(Duration.ofMillis(1));
        }
        put(!before);
        leader = rig.engine();
        rig.done(create());
        assertThat(first).isNotNull();
        assertThat(creations()).hasSizeGreaterThan(1);
        assertThat(creations().stream().distinct()).hasSize(1);
        assertThat(creations().get(0).parameters())
                .isEqualTo(before ? described(OWN, "db", creations().get(0).name()) : OWN);
        nothingLeaks();
    }

    @Test
    void attemptThatWasGivenUpIsFoundWithItsParametersAndTheNextOneHasThoseOfTheChangedProfile() {
        put(true);
        rig.gateway.lose(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        CompletableFuture<ClaimGrant> first = claim("x", "a", request(DATA));
        rig.clock.advance(Duration.ofMinutes(4));
        assertThat(refused(first)).isEqualTo(NeverReason.CREATION_UNSETTLED);
        ended("x", "a");
        put(false);
        CompletableFuture<ClaimGrant> next = claim("y", "b", request(DATA));
        rig.gateway.hanging().get(0).completeExceptionally(HandGateway.failure(Rpc.CREATE_VOLUME, StatusCode.ABORTED));
        rig.clock.advance(Duration.ofMinutes(30));
        assertThat(next).isCompleted();
        List<CreateVolumeRequest> distinct = creations().stream().distinct().toList();
        assertThat(distinct).hasSize(2);
        String old = distinct.get(0).name();
        assertThat(distinct.get(0).parameters()).isEqualTo(described(Map.of(), "data", old));
        assertThat(distinct.get(1).parameters()).isEmpty();
        assertThat(creations().stream().filter(sent -> sent.name().equals(old)))
                .as("two calls of the claim, and one that finds the volume under its new key")
                .hasSizeGreaterThan(2);
        nothingLeaks();
    }

    @Test
    void confirmationOfARestoredVolumeHasTheParametersOfItsCreation() {
        put(true);
        rig.done(create());
        put(false);
        ValidateVolumeCapabilitiesRequest asked =
                VerifyStep.request(rig.log.snapshot().volume(DB).orElseThrow()).build();
        assertThat(asked.parameters())
                .isEqualTo(described(OWN, "db", creations().get(0).name()));
    }

    @Test
    void parametersOfTheHostWithTheReservedPrefixAreRefused() {
        assertThatThrownBy(() -> spec(Map.of("csi.storage.k8s.io/pvc/name", "forged")))
                .isInstanceOf(CsiRequestException.class)
                .hasMessageContaining("parameters")
                .hasMessageContaining("reserved for the orchestrator")
                .hasMessageNotContaining("forged");
    }

    @Test
    void parametersThatAreTooLargeTogetherAreRefusedBeforeAnythingIsStored() {
        Map<String, String> large = Map.of("k", "x".repeat(4000));
        rig.done(leader.volumes().create(VolumeKey.of("default", "without"), spec(large)));
        put(true);
        Rejection refused = rig.failed(leader.volumes().create(DB, spec(large)), RejectedException.class)
                .reason();
        assertThat(refused).isInstanceOf(Rejection.InvalidRequest.class);
        assertThat(((Rejection.InvalidRequest) refused).problems())
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.field()).isEqualTo("parameters");
                    assertThat(problem.problem()).contains("with the extra metadata");
                });
        assertThat(volumes()).doesNotContain(DB);
        assertThat(List.copyOf(creations())).hasSize(1);
    }
}
