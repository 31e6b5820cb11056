package io.csi4j.simulation.internal.world;

import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.Timer;

/** Decorates the ports between engines and the simulated world. Tests of the simulation use it to plant defects. */
public interface PortDecorator {
    /** Changes nothing. */
    PortDecorator NONE = world -> new Ports() {};

    /** Decorates the ports of all engines. */
    Ports of(SimWorld world);

    /** Changes the node information that a plugin reports. */
    default NodeInfo reported(NodeInfo info) {
        return info;
    }

    /** The ports of the engines, for all servers and terms. */
    interface Ports {
        default Timer timer(Timer timer) {
            return timer;
        }

        default CommandLog log(CommandLog log) {
            return log;
        }

        default NodeGateway gateway(NodeGateway gateway) {
            return gateway;
        }
    }
}
