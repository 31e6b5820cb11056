package io.csi4j.testkit.contract;

import io.csi4j.core.command.Command;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.testkit.contract.PlantedLog.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Tests of logs with one fault each; {@link PlantedFaultsTest} runs them. */
final class PlantedLogs {
    private PlantedLogs() {}

    /** The contract of a log with a fault. */
    abstract static class Planted implements DurableLogContract {
        /** The faults that a test finds when it has waited for an answer or a row that never comes. */
        private static final Set<Fault> AWAITED_IN_VAIN =
                EnumSet.of(Fault.NEVER_ANSWERED, Fault.VISIBLE_BEFORE_DURABLE, Fault.NEVER_DURABLE);

        private final List<Command> disk = new ArrayList<>();
        private final Fault fault;

        Planted(Fault fault) {
            this.fault = fault;
        }

        @Override
        public CommandLog open() {
            return new PlantedLog(fault, disk);
        }

        @Override
        public void close(CommandLog log) {
            ((PlantedLog) log).close();
        }

        @Override
        public CommandLog crashed(CommandLog log) {
            return ((PlantedLog) log).crashed();
        }

        @Override
        public Duration patience() {
            return AWAITED_IN_VAIN.contains(fault) ? Duration.ofSeconds(5) : DurableLogContract.super.patience();
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

    static final class CompletedBeforeApplied extends Planted {
        CompletedBeforeApplied() {
            super(Fault.COMPLETED_BEFORE_APPLIED);
        }
    }

    static final class AppliedTwice extends Planted {
        AppliedTwice() {
            super(Fault.APPLIED_TWICE);
        }
    }

    static final class SecondAnswer extends Planted {
        SecondAnswer() {
            super(Fault.SECOND_ANSWER);
        }
    }

    static final class AnswersMixedUp extends Planted {
        AnswersMixedUp() {
            super(Fault.ANSWERS_MIXED_UP);
        }
    }

    static final class NullAlways extends Planted {
        NullAlways() {
            super(Fault.NULL_ALWAYS);
        }
    }

    static final class VisibleBeforeDurable extends Planted {
        VisibleBeforeDurable() {
            super(Fault.VISIBLE_BEFORE_DURABLE);
        }
    }

    static final class NeverDurable extends Planted {
        NeverDurable() {
            super(Fault.NEVER_DURABLE);
        }
    }

    static final class OrderLost extends Planted {
        OrderLost() {
            super(Fault.ORDER_LOST);
        }
    }

    static final class AppliedLate extends Planted {
        AppliedLate() {
            super(Fault.APPLIED_LATE);
        }
    }
}
