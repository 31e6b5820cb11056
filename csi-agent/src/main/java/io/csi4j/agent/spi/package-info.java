/**
 * The interfaces that a host implements for the connection between servers and agents, and the values and the exception that these
 * interfaces use.
 */
@NullMarked
package io.csi4j.agent.spi;

import org.jspecify.annotations.NullMarked;
