/**
 * A host with an RPC and a log of its own: the JDK's HTTP, and a file. {@code EmbedOwn} starts a server and two nodes as processes.
 */
@NullMarked
package io.csi4j.examples.own;

import org.jspecify.annotations.NullMarked;
