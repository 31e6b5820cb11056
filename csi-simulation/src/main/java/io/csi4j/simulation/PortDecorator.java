package io.csi4j.simulation;

import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.Timer;

/** Decorates what stands between engines and the simulated world. Only tests of the simulation do: they plant defects. */
interface PortDecorator {
    /** Leaves everything as it is. */
    PortDecorator NONE = world -> new Ports() {};

    /** Decorates the ports of one server's engines. */
    Ports of(SimWorld world);

    /** What a plugin reports of its node, as the state records it. */
    default NodeInfo reported(NodeInfo info) {
        return info;
    }

    /** The ports of one server's engines, through all terms of the server. */
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
