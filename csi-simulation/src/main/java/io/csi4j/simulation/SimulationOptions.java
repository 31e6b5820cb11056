package io.csi4j.simulation;

import java.time.Duration;

/**
 * The size and the fault rate of a simulation. Immutable.
 *
 * @see LifecycleSimulation
 */
public final class SimulationOptions {
    private final int nodes;
    private final int volumes;
    private final int workloads;
    private final Duration chaos;
    private final double faultRate;
    private final PortDecorator decorator;

    private SimulationOptions(Builder builder) {
        this.nodes = builder.nodes;
        this.volumes = builder.volumes;
        this.workloads = builder.workloads;
        this.chaos = builder.chaos;
        this.faultRate = builder.faultRate;
        this.decorator = builder.decorator;
    }

    /**
     * A small cluster with many faults.
     *
     * @return three nodes, five volumes, 24 workloads, and eight virtual minutes in which one call of four fails
     */
    public static SimulationOptions ofDefaults() {
        return builder().build();
    }

    /** A builder with the default values. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The number of nodes.
     *
     * @return 2 or more
     */
    public int nodes() {
        return nodes;
    }

    /**
     * The number of volumes; they differ in their access modes.
     *
     * @return 1 or more
     */
    public int volumes() {
        return volumes;
    }

    /**
     * The number of workloads; each claims one to three volumes.
     *
     * @return 1 or more
     */
    public int workloads() {
        return workloads;
    }

    /**
     * The virtual time during which faults occur. All releases must end after it.
     *
     * @return above zero
     */
    public Duration chaos() {
        return chaos;
    }

    /**
     * The share of calls that are refused, hang, or lose their answer.
     *
     * @return 0 to 1
     */
    public double faultRate() {
        return faultRate;
    }

    PortDecorator decorator() {
        return decorator;
    }

    /** Builds {@link SimulationOptions}. Not safe for use by several threads. */
    public static final class Builder {
        private int nodes = 3;
        private int volumes = 5;
        private int workloads = 24;
        private Duration chaos = Duration.ofMinutes(8);
        private double faultRate = 0.25;
        private PortDecorator decorator = PortDecorator.NONE;

        private Builder() {}

        /**
         * Sets the number of nodes.
         *
         * @param nodes 2 or more
         * @throws IllegalArgumentException if there are fewer
         */
        public Builder nodes(int nodes) {
            this.nodes = atLeast("nodes", nodes, 2);
            return this;
        }

        /**
         * Sets the number of volumes.
         *
         * @param volumes 1 or more
         * @throws IllegalArgumentException if there are fewer
         */
        public Builder volumes(int volumes) {
            this.volumes = atLeast("volumes", volumes, 1);
            return this;
        }

        /**
         * Sets the number of workloads.
         *
         * @param workloads 1 or more
         * @throws IllegalArgumentException if there are fewer
         */
        public Builder workloads(int workloads) {
            this.workloads = atLeast("workloads", workloads, 1);
            return this;
        }

        /**
         * Sets the time during which faults occur.
         *
         * @param chaos virtual time, above zero
         * @throws IllegalArgumentException if it is not above zero
         */
        public Builder chaos(Duration chaos) {
            if (chaos.isZero() || chaos.isNegative()) {
                throw new IllegalArgumentException("SimulationOptions: chaos is " + chaos + "; use more than zero");
            }
            this.chaos = chaos;
            return this;
        }

        /**
         * Sets the share of calls that fail.
         *
         * @param faultRate 0 to 1
         * @throws IllegalArgumentException if it is outside this range
         */
        public Builder faultRate(double faultRate) {
            if (!(faultRate >= 0 && faultRate <= 1)) {
                throw new IllegalArgumentException("SimulationOptions: faultRate is " + faultRate + "; use 0 to 1");
            }
            this.faultRate = faultRate;
            return this;
        }

        /** Plants a defect, for tests of the simulation. */
        Builder decorator(PortDecorator decorator) {
            this.decorator = decorator;
            return this;
        }

        private static int atLeast(String option, int value, int min) {
            if (value < min) {
                throw new IllegalArgumentException(
                        "SimulationOptions: " + option + " is " + value + "; use " + min + " or more");
            }
            return value;
        }

        /**
         * Builds the options.
         *
         * @return immutable options
         */
        public SimulationOptions build() {
            return new SimulationOptions(this);
        }
    }
}
