/** The interfaces that a host implements for agents, and the values and the exception that they use. */
@NullMarked
package io.csi4j.agent.spi;

import org.jspecify.annotations.NullMarked;
