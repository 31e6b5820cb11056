package io.csi4j.core.lifecycle.internal;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.internal.call.EngineLog;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.Fencing;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.spi.VirtualTime;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** The ports of an engine for tests of its parts that make no calls. */
public final class TestPorts {
    private static final NodeGateway NO_CALLS = new NodeGateway() {
        @Override
        public ControllerService controller(InstanceKey instance) {
            throw new UnsupportedOperationException("the test calls no plugin");
        }

        @Override
        public GroupControllerService groupController(InstanceKey instance) {
            throw new UnsupportedOperationException("the test calls no plugin");
        }

        @Override
        public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
            throw new UnsupportedOperationException("the test calls no node");
        }
    };

    private TestPorts() {}

    /** Returns ports with this log, whose tasks and timers run in the given time. */
    public static EnginePorts of(CommandLog log, VirtualTime time) {
        return of(log, time, Fencing.byHost());
    }

    /** Returns ports with this log and this fencing, whose tasks and timers run in the given time. */
    public static EnginePorts of(CommandLog log, VirtualTime time, Fencing fencing) {
        HostCallbacks host = new HostCallbacks(time, time);
        LifecycleOptions options = LifecycleOptions.ofDefaults();
        return new EnginePorts(
                new EngineLog(
                        log,
                        EventListener.none(),
                        ControllerTrust.everyNode(),
                        host,
                        new Timeouts(time, time),
                        options.logTimeout()),
                NO_CALLS,
                time,
                time,
                time,
                time,
                new Random(1),
                SecretsProvider.ofVolumes(),
                ControllerTrust.everyNode(),
                AccessControl.off(),
                EventListener.none(),
                fencing,
                host,
                options);
    }
}
