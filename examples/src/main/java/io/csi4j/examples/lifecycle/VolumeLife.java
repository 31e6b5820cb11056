package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The walk itself, from top to bottom. */
final class VolumeLife {
    private final Session session;
    private final RunOptions options;
    private final VolumeSteps volumes;
    private final Inspection inspection;
    private final Data data;
    private final Growth growth;
    private final SnapshotSteps snapshots;

    VolumeLife(Session session) {
        this.session = session;
        this.options = session.options();
        this.volumes = new VolumeSteps(session);
        this.inspection = new Inspection(session);
        this.data = new Data(session);
        this.growth = new Growth(session, data);
        this.snapshots = new SnapshotSteps(session, volumes, data);
    }

    /** What is still there when it returns is taken back by the caller. */
    void run() {
        session.walk().local("check the options", this::checkOptions);
        CreatedVolume volume = beginning();

        OnNode node = new OnNode(session, volume, "volume");
        int offNode = session.walk().here();
        node.attach();
        inspection.list(volume);
        inspection.get(volume);
        node.stage();
        int staged = session.walk().here();
        boolean readonly = options.accessMode().readerOnly();
        Path target = node.publish("target", readonly);
        data.checkMount(target);
        Optional<Content> content = data.fill(node, target);

        new Health(session, node).ask(target);
        secondTarget(node, content);
        volume = growth.whilePublished(node, target, content);
        modify(volume);
        snapshots.run(volume, content);
        snapshots.cloneOf(volume, content);
        new GroupSnapshotSteps(session, volumes).run(volume);

        session.walk().backTo(staged);
        Optional<Content> lasting = data.lasting(content);
        readonlyTarget(node, lasting);
        session.walk().backTo(offNode);
        growth.whileOffNode(volume, lasting);
    }

    private String checkOptions() throws IOException {
        boolean both = session.facts().has(NodeCapability.SINGLE_NODE_MULTI_WRITER)
                && session.facts().has(ControllerCapability.SINGLE_NODE_MULTI_WRITER);
        if (options.needsSingleNodeMultiWriter() && !both) {
            throw new IOException(
                    options.accessMode() + " needs SINGLE_NODE_MULTI_WRITER at controller and node, which the"
                            + " plugin does not offer (R42); choose another --access-mode");
        }
        if (options.volumeId().isEmpty() && !volumes.offered()) {
            throw new IOException("the plugin cannot create volumes (no CREATE_DELETE_VOLUME); make one at the storage"
                    + " provider, and name it with --volume-id and --volume-context");
        }
        return "possible with this plugin";
    }

    /** Created, or there already and then checked instead (R43). */
    private CreatedVolume beginning() {
        Optional<ExternalVolumeId> given = options.volumeId();
        if (given.isPresent()) {
            session.skip(Rpc.CREATE_VOLUME.csiName(), "--volume-id names a volume that is there");
            CreatedVolume volume = new CreatedVolume(given.get(), options.volumeContext(), 0);
            inspection.validate(volume);
            return volume;
        }
        inspection.capacity();
        CreatedVolume volume = volumes.create(options.volumeName(), options.size(), null, options.keep());
        session.extra(() -> inspection.validate(volume));
        return volume;
    }

    private void secondTarget(OnNode node, Optional<Content> content) {
        if (!options.severalTargets()) {
            session.skip("second target", options.accessMode() + " allows one target (R89)");
            return;
        }
        session.extra(() -> {
            Path target = node.publish("second", options.accessMode().readerOnly());
            data.checkMount(target);
            data.verify("check the data there", content, target);
        });
    }

    /** Staged still, and published nowhere else: so this is allowed in every access mode (R89). */
    private void readonlyTarget(OnNode node, Optional<Content> content) {
        if (options.accessMode().readerOnly()) {
            session.skip("read-only target", options.accessMode() + " was read-only all the time");
            return;
        }
        session.extra(() -> {
            Path target = node.publish("readonly", true);
            data.checkMount(target);
            data.verify("check the data there", content, target);
            data.checkReadonly(content, target);
        });
    }

    private void modify(CreatedVolume volume) {
        if (options.mutableParameters().isEmpty()) {
            session.skip(Rpc.CONTROLLER_MODIFY_VOLUME.csiName(), "no --mutable-parameters given");
        } else if (session.offers(ControllerCapability.MODIFY_VOLUME, Rpc.CONTROLLER_MODIFY_VOLUME)) {
            ControllerModifyVolumeRequest request = ControllerModifyVolumeRequest.builder(
                            volume.id(), options.mutableParameters())
                    .secrets(options.secrets())
                    .build();
            session.extra(() -> session.walk()
                    .call(
                            Rpc.CONTROLLER_MODIFY_VOLUME,
                            () -> session.plugin().controller().controllerModifyVolume(request),
                            done -> String.join(
                                    ", ", options.mutableParameters().keySet())));
        }
    }
}
