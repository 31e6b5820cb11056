package io.csi4j.simulation;

import java.time.Duration;

/**
 * What a simulation is like. Immutable.
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
     * A small cluster in which much goes wrong.
     *
     * @return three nodes, five volumes, 24 workloads, eight virtual minutes with one call of four disturbed
     */
    public static SimulationOptions ofDefaults() {
        return builder().build();
    }

    /** A builder that begins with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * How many nodes there are.
     *
     * @return 2 or more
     */
    public int nodes() {
        return nodes;
    }

    /**
     * How many volumes there are; the first ones are of different access modes.
     *
     * @return 1 or more
     */
    public int volumes() {
        return volumes;
    }

    /**
     * How many workloads are started, each with one or two volumes.
     *
     * @return 1 or more
     */
    public int workloads() {
        return workloads;
    }

    /**
     * How long things go wrong, in virtual time. After that every release must end.
     *
     * @return above zero
     */
    public Duration chaos() {
        return chaos;
    }

    /**
     * Which part of all calls is refused, hangs, or loses its answer.
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
         * Sets how many nodes there are.
         *
         * @param nodes 2 or more
         * @throws IllegalArgumentException if there are fewer
         */
        public Builder nodes(int nodes) {
            this.nodes = atLeast("nodes", nodes, 2);
            return this;
        }

        /**
         * Sets how many volumes there are.
         *
         * @param volumes 1 or more
         * @throws IllegalArgumentException if there are fewer
         */
        public Builder volumes(int volumes) {
            this.volumes = atLeast("volumes", volumes, 1);
            return this;
        }

        /**
         * Sets how many workloads are started.
         *
         * @param workloads 1 or more
         * @throws IllegalArgumentException if there are fewer
         */
        public Builder workloads(int workloads) {
            this.workloads = atLeast("workloads", workloads, 1);
            return this;
        }

        /**
         * Sets how long things go wrong.
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
         * Sets which part of all calls is disturbed.
         *
         * @param faultRate 0 to 1
         * @throws IllegalArgumentException if it is outside
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
         * The options set so far.
         *
         * @return immutable options
         */
        public SimulationOptions build() {
            return new SimulationOptions(this);
        }
    }
}
