/**
 * The connection between the servers of a host and the agents of its nodes, for hosts that have no connection of their own: gRPC over Unix
 * sockets, or over TCP with certificates on both sides.
 *
 * <p>On a server, {@link io.csi4j.agent.RemoteNodeGateway} is the engine's {@link io.csi4j.core.spi.NodeGateway}, and {@link
 * io.csi4j.agent.AgentServer} receives the reports of agents. On a node, {@link io.csi4j.agent.NodeAgent} manages plugins and volumes and
 * serves the calls of the gateway. {@code docs/guide/embed.md} has a program with two nodes. The host implements the interfaces of {@link
 * io.csi4j.agent.spi}.
 *
 * <pre>{@code
 * RemoteNodeGateway gateway = RemoteNodeGateway.builder(directory).build();
 * VolumeLifecycle lifecycle = VolumeLifecycle.of(log, gateway);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.agent;

import org.jspecify.annotations.NullMarked;
