package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.event.CommandEvents;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.VolumeEvent;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Volumes whose only node is gone: they are blocked, cost no calls, and end when the host says that their storage is lost. */
class BlockedVolumesTest extends TemplateRig {
    // Keeps the logger, which the log manager holds weakly.
    private static final Logger LOGGER = Logger.getLogger(CommandEvents.class.getName());

    private final List<VolumeEvent> events = new ArrayList<>();

    private ClaimRequest blocked() {
        rig.listener = new EventListener() {
            @Override
            public void volumeChanged(VolumeEvent event) {
                events.add(event);
            }
        };
        leader = rig.engine();
        // The only nodes with the plugin leave, so no controller is left.
        ClaimRequest scratch = ownRequest("x");
        assertThat(claim("x", "a", scratch)).isCompleted();
        rig.done(leader.cluster().nodeGone(NodeId.of("b"), "burned"));
        rig.done(leader.cluster().nodeGone(NodeId.of("a"), "burned"));
        rig.run();
        return scratch;
    }

    @Test
    void blockedDeletionIsListedWithItsCauseAndCostsNoCalls() {
        ClaimRequest scratch = blocked();
        assertThat(volume(scratch.volume()).orElseThrow().phase()).isEqualTo(VolumePhase.DELETING);
        int calls = rig.gateway.calls().size();
        rig.clock.advance(Duration.ofDays(30));
        assertThat(rig.gateway.calls()).as("calls in thirty days").hasSize(calls);
        VolumeStatus status = rig.done(leader.claims().status(scratch.volume())).orElseThrow();
        assertThat(status.remaining().waits())
                .extracting(RemainingWork.Wait::reason)
                .containsExactly(RemainingWork.Reason.NO_HEALTHY_CONTROLLER);
    }

    @Test
    void lossOfTheStorageEndsIt() {
        ClaimRequest scratch = blocked();
        StorageLoss loss = StorageLoss.of(NodeId.of("a"), VolumeRig.PLUGIN, zone("zone-a"));
        StorageLossPreview preview = rig.done(leader.cluster().previewStorageLoss(loss));
        assertThat(preview.ending()).containsExactly(scratch.volume());
        assertThat(volume(scratch.volume())).as("a preview changes nothing").isPresent();
        int calls = rig.gateway.calls().size();
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getLevel() + " " + line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        LOGGER.addHandler(handler);
        rig.done(leader.cluster().nodeStorageLost(loss, "the disk burned"));
        rig.run();
        LOGGER.removeHandler(handler);
        assertThat(lines)
                .containsExactly("INFO The storage of node a for plugin p in " + zone("zone-a")
                        + " is gone: the disk burned. Volumes that were only there: 1");
        assertThat(volumes()).isEmpty();
        assertThat(rig.gateway.calls()).hasSize(calls);
        assertThat(events)
                .filteredOn(event -> event.change() == VolumeEvent.Change.STORAGE_LOST)
                .extracting(VolumeEvent::volume, VolumeEvent::reason)
                .containsExactly(tuple(scratch.volume(), "the disk burned"));
    }
}
