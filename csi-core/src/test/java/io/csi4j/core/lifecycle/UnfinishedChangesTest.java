package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The messages of changes of a volume that do not end, or that the plugin does not offer. */
class UnfinishedChangesTest {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final VolumeRig rig = VolumeRig.started();

    enum Change {
        DELETION("deletion", "delete", Rpc.DELETE_VOLUME, ControllerCapability.CREATE_DELETE_VOLUME) {
            @Override
            CompletableFuture<?> begin(VolumeLifecycle engine) {
                return engine.volumes().delete(VolumeRig.VOL);
            }
        },
        EXPANSION("expansion", "expand", Rpc.CONTROLLER_EXPAND_VOLUME, ControllerCapability.EXPAND_VOLUME) {
            @Override
            CompletableFuture<?> begin(VolumeLifecycle engine) {
                return engine.volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(1L << 40));
            }
        },
        CHANGE("change", "change", Rpc.CONTROLLER_MODIFY_VOLUME, ControllerCapability.MODIFY_VOLUME) {
            @Override
            CompletableFuture<?> begin(VolumeLifecycle engine) {
                return engine.volumes().modify(VolumeRig.VOL, Map.of("tier", "gold"));
            }
        };

        final String noun;
        final String verb;
        final Rpc rpc;
        final ControllerCapability needed;

        Change(String noun, String verb, Rpc rpc, ControllerCapability needed) {
            this.noun = noun;
            this.verb = verb;
            this.rpc = rpc;
            this.needed = needed;
        }

        abstract CompletableFuture<?> begin(VolumeLifecycle engine);
    }

    private VolumeLifecycle made() {
        VolumeLifecycle engine = rig.engine();
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        return engine;
    }

    @ParameterizedTest
    @EnumSource
    void changeWhoseCallsFailIsNamedWithTheLimit(Change change) {
        VolumeLifecycle engine = made();
        rig.gateway.failAll(StatusCode.UNAVAILABLE);
        CompletableFuture<?> result = change.begin(engine);
        rig.clock.advance(LIMIT);
        assertThat(rig.failed(result, UnfinishedException.class))
                .hasMessageStartingWith(change.noun + " of volume default/vol is not done after 10 min");
    }

    @ParameterizedTest
    @EnumSource
    void changeWhoseIntentIsNotStoredIsNamedWithTheFailureOfTheLog(Change change) {
        VolumeLifecycle engine = made();
        rig.log.fate = HandLog.Fate.THROWS;
        CompletableFuture<?> result = change.begin(engine);
        rig.clock.advance(LIMIT);
        assertThat(rig.failed(result, UnfinishedException.class))
                .hasMessageStartingWith("intent to " + change.verb + " volume default/vol is not done after ")
                .hasMessageContaining("whether it was stored, or yet will be, is not known");
    }

    @ParameterizedTest
    @EnumSource
    void changeThatThePluginDoesNotOfferIsRefusedAndNothingIsStored(Change change) {
        VolumeLifecycle engine = made();
        rig.controller.remove(change.needed);
        rig.onNodes.clear();
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        long index = rig.log.snapshot().index();
        assertThat(rig.failed(change.begin(engine), CsiRequestException.class))
                .hasMessageContaining(change.noun + " of volume default/vol");
        assertThat(rig.log.snapshot().index()).isEqualTo(index);
        assertThat(rig.gateway.requests(change.rpc)).isEmpty();
    }
}
