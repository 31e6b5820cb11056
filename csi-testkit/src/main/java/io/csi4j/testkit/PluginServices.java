package io.csi4j.testkit;

import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.internal.node.FakeInlineVolumes;
import io.csi4j.testkit.internal.node.FakeNodeVolumes;
import io.csi4j.testkit.internal.node.NodeGauge;
import io.csi4j.testkit.internal.node.NodeOperations;
import io.csi4j.testkit.internal.service.CallHook;
import io.csi4j.testkit.internal.service.FakeControllerService;
import io.csi4j.testkit.internal.service.FakeGroupService;
import io.csi4j.testkit.internal.service.FakeIdentityService;
import io.csi4j.testkit.internal.service.FakeMetadataService;
import io.csi4j.testkit.internal.service.FakeNodeService;
import io.csi4j.testkit.internal.service.InFlight;
import io.csi4j.testkit.internal.service.PluginConfig;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.NodeRecord;
import io.csi4j.testkit.internal.storage.NodeShelf;
import io.grpc.BindableService;
import java.util.ArrayList;
import java.util.List;

/** Creates the services of a plugin on its storage. */
final class PluginServices {
    private final PluginConfig config;
    private final FakeStorage storage;
    private final CallHook hook;
    private final InFlight nodeCalls = new InFlight();

    PluginServices(PluginConfig config, FakeStorage storage, CallHook hook) {
        this.config = config;
        this.storage = storage;
        this.hook = hook;
    }

    List<BindableService> create(boolean controller, boolean node) {
        Backend backend = storage.backend();
        List<BindableService> services = new ArrayList<>();
        services.add(new FakeIdentityService(config));
        if (controller) {
            addController(backend, services);
        }
        backend.store().locked(() -> backend); // completes or undoes what an interrupted process left
        if (node) {
            services.add(node(backend));
        }
        return services;
    }

    private void addController(Backend backend, List<BindableService> services) {
        if (has(FakeCapability.CONTROLLER_SERVICE)) {
            services.add(new FakeControllerService(config, backend, storage.controllerCalls(), hook));
        }
        if (has(FakeCapability.GROUP_CONTROLLER_SERVICE)) {
            services.add(new FakeGroupService(backend, storage.controllerCalls(), hook));
        }
        if (has(FakeCapability.SNAPSHOT_METADATA_SERVICE)) {
            services.add(new FakeMetadataService(backend));
        }
    }

    private FakeNodeService node(Backend backend) {
        backend.register(new NodeRecord(config.nodeId(), config.segments(), config.attachLimit()));
        NodeShelf shelf = backend.shelf(config.nodeId());
        NodeOperations volumes = config.inline() == null
                ? new FakeNodeVolumes(
                        backend,
                        shelf,
                        storage.effects(),
                        has(FakeCapability.PUBLISH_UNPUBLISH_VOLUME),
                        has(FakeCapability.STAGE_UNSTAGE_VOLUME))
                : new FakeInlineVolumes(backend, shelf, storage.effects(), config.inline());
        volumes.recover();
        return new FakeNodeService(
                config, volumes, new NodeGauge(backend, shelf, storage.effects(), config.sizeUnit()), nodeCalls, hook);
    }

    private boolean has(FakeCapability capability) {
        return config.capabilities().contains(capability);
    }

    /**
     * Returns the number of calls that were refused because another call for the same volume or snapshot was pending.
     */
    long overlappingCalls() {
        return storage.controllerCalls().overlapping() + nodeCalls.overlapping();
    }
}
