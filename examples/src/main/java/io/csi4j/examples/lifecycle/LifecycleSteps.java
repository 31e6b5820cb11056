package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The steps of the whole life, in order. */
final class LifecycleSteps {
    private final Session session;
    private final RunOptions options;
    private final VolumeSteps volumes;
    private final VolumeChecks checks;
    private final DataChecks data;
    private final ExpansionSteps expansion;
    private final SnapshotSteps snapshots;

    LifecycleSteps(Session session) {
        this.session = session;
        this.options = session.options();
        this.volumes = new VolumeSteps(session);
        this.checks = new VolumeChecks(session);
        this.data = new DataChecks(session);
        this.expansion = new ExpansionSteps(session, data);
        this.snapshots = new SnapshotSteps(session, volumes, data);
    }

    /** Runs all steps; the caller undoes those that remain. */
    void run() {
        session.steps().local("check the options", this::checkOptions);
        CreatedVolume volume = createOrValidate();

        NodeSteps node = new NodeSteps(session, volume, "volume");
        int offNode = session.steps().mark();
        node.attach();
        checks.list(volume);
        checks.get(volume);
        node.stage();
        int staged = session.steps().mark();
        boolean readonly = options.accessMode().readerOnly();
        Path target = node.publish("target", readonly);
        data.checkMount(target);
        Optional<TestContent> content = data.writeAndVerify(node, target);

        new HealthSteps(session, node).check(target);
        secondTarget(node, content);
        volume = expansion.whilePublished(node, target, content);
        modify(volume);
        snapshots.run(volume, content);
        snapshots.cloneOf(volume, content);
        new GroupSnapshotSteps(session, volumes).run(volume);

        session.steps().undoTo(staged);
        Optional<TestContent> remaining = data.remaining(content);
        readonlyTarget(node, remaining);
        session.steps().undoTo(offNode);
        expansion.whileOffNode(volume, remaining);
    }

    private String checkOptions() throws IOException {
        boolean supported = session.capabilities().has(NodeCapability.SINGLE_NODE_MULTI_WRITER)
                && session.capabilities().has(ControllerCapability.SINGLE_NODE_MULTI_WRITER);
        if (options.needsSingleNodeMultiWriter() && !supported) {
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

    /** Creates the volume, or validates an existing one (R43). */
    private CreatedVolume createOrValidate() {
        Optional<ExternalVolumeId> existing = options.volumeId();
        if (existing.isPresent()) {
            session.skip(Rpc.CREATE_VOLUME.csiName(), "--volume-id names an existing volume");
            CreatedVolume volume = new CreatedVolume(existing.get(), options.volumeContext(), 0);
            checks.validate(volume);
            return volume;
        }
        checks.capacity();
        CreatedVolume volume = volumes.create(options.volumeName(), options.size(), null, options.keep());
        session.optional(() -> checks.validate(volume));
        return volume;
    }

    private void secondTarget(NodeSteps node, Optional<TestContent> content) {
        if (!options.allowsSeveralTargets()) {
            session.skip("second target", options.accessMode() + " allows one target (R89)");
            return;
        }
        session.optional(() -> {
            Path target = node.publish("second", options.accessMode().readerOnly());
            data.checkMount(target);
            data.verify("check the data there", content, target);
        });
    }

    /** Publishes the staged volume read-only. It has no other target, so every access mode allows this (R89). */
    private void readonlyTarget(NodeSteps node, Optional<TestContent> content) {
        if (options.accessMode().readerOnly()) {
            session.skip("read-only target", options.accessMode() + " is read-only anyway");
            return;
        }
        session.optional(() -> {
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
            session.optional(() -> session.steps()
                    .call(
                            Rpc.CONTROLLER_MODIFY_VOLUME,
                            () -> session.plugin().controller().controllerModifyVolume(request),
                            done -> String.join(
                                    ", ", options.mutableParameters().keySet())));
        }
    }
}
