package io.csi4j.testkit.contract;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.testkit.contract.PlantedGateway.Fault;
import java.time.Duration;

/** Tests of gateways with one fault each; {@link PlantedFaultsTest} runs them. */
final class PlantedGateways {
    private PlantedGateways() {}

    /** The contract of a gateway with a fault. */
    abstract static class Planted implements NodeGatewayContract {
        private final Fault fault;

        Planted(Fault fault) {
            this.fault = fault;
        }

        @Override
        public NodeGateway open(Duration deadline) {
            return new PlantedGateway(fault, deadline);
        }

        @Override
        public void connect(NodeGateway gateway, NodeId nodeId, NodeGateway node) {
            ((PlantedGateway) gateway).connect(nodeId, node);
        }

        @Override
        public void close(NodeGateway gateway) {}

        @Override
        public Duration patience() {
            return fault == Fault.NEVER_ANSWERED ? Duration.ofSeconds(10) : NodeGatewayContract.super.patience();
        }
    }

    static final class Correct extends Planted {
        Correct() {
            super(Fault.NONE);
        }
    }

    static final class NeverAnswered extends Planted {
        NeverAnswered() {
            super(Fault.NEVER_ANSWERED);
        }
    }

    static final class Null extends Planted {
        Null() {
            super(Fault.NULL);
        }
    }

    static final class CompletedBeforeAnswered extends Planted {
        CompletedBeforeAnswered() {
            super(Fault.COMPLETED_BEFORE_ANSWERED);
        }
    }

    static final class SentTwice extends Planted {
        SentTwice() {
            super(Fault.SENT_TWICE);
        }
    }

    static final class AnswersMixedUp extends Planted {
        AnswersMixedUp() {
            super(Fault.ANSWERS_MIXED_UP);
        }
    }

    static final class SentLate extends Planted {
        SentLate() {
            super(Fault.SENT_LATE);
        }
    }
}
