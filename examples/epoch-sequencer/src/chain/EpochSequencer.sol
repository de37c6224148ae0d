// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// The epochs of one protocol and market. The owner releases an epoch with its validators; one of them, whose turn it is, brings the root
/// that a quorum of them signed. An epoch has one root, for good.
contract EpochSequencer {
    event Released(uint64 indexed epoch, uint64 closesAt, address[] validators);
    event Agreed(uint64 indexed epoch, bytes32 root);

    error NotOwner();
    error BadValidators();
    error AlreadyReleased();
    error BadWindow();
    error UnknownEpoch();
    error AlreadyAgreed(bytes32 root);
    error NotYourTurn(address turn);
    error BadSignature(uint256 index);
    error NoQuorum(uint256 signers, uint256 needed);

    struct Epoch {
        bytes32 root;
        uint64 closesAt;
        address[] validators;
    }

    address public immutable owner;
    /// Binds all signatures to this chain, this contract, and its protocol and market: the domain separator of EIP-712.
    bytes32 public immutable domain;
    /// How long a turn lasts.
    uint256 public immutable turnSeconds;

    mapping(uint64 => Epoch) private epochs;
    mapping(uint64 => mapping(address => bool)) private isValidator;

    constructor(string memory name, uint256 turn) {
        owner = msg.sender;
        turnSeconds = turn == 0 ? 1 : turn;
        domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                block.chainid,
                address(this)
            )
        );
    }

    /// `closesAt` in milliseconds since 1970, at most 30 days after this block. The validators in ascending order, each once.
    function release(uint64 epoch, uint64 closesAt, address[] calldata validators) external {
        if (msg.sender != owner) revert NotOwner();
        if (validators.length == 0) revert BadValidators();
        if (closesAt > (block.timestamp + 30 days) * 1000) revert BadWindow();
        Epoch storage released = epochs[epoch];
        if (released.validators.length != 0) revert AlreadyReleased();
        address last = address(0);
        for (uint256 i = 0; i < validators.length; i++) {
            if (validators[i] <= last) revert BadValidators();
            last = validators[i];
            isValidator[epoch][last] = true;
        }
        released.closesAt = closesAt;
        released.validators = validators;
        emit Released(epoch, closesAt, validators);
    }

    /// The signatures are r, s and v, of 65 bytes, in the ascending order of their signers.
    function submit(uint64 epoch, bytes32 root, bytes[] calldata signatures) external {
        Epoch storage released = epochs[epoch];
        uint256 count = released.validators.length;
        if (count == 0) revert UnknownEpoch();
        if (released.root != bytes32(0)) revert AlreadyAgreed(released.root);
        address turn = turnOf(epoch);
        if (msg.sender != turn) revert NotYourTurn(turn);
        bytes32 digest = keccak256(abi.encodePacked(uint8(4), domain, epoch, root));
        address last = address(0);
        for (uint256 i = 0; i < signatures.length; i++) {
            address signer = recover(digest, signatures[i]);
            // A signer that is repeated is out of order, too.
            if (signer <= last || !isValidator[epoch][signer]) revert BadSignature(i);
            last = signer;
        }
        uint256 needed = (2 * count) / 3 + 1;
        if (signatures.length < needed) revert NoQuorum(signatures.length, needed);
        released.root = root;
        emit Agreed(epoch, root);
    }

    /// The validator that may submit in this block. Turns go round by the block's time, and begin with another one in each epoch.
    function turnOf(uint64 epoch) public view returns (address) {
        address[] storage validators = epochs[epoch].validators;
        if (validators.length == 0) revert UnknownEpoch();
        return validators[(block.timestamp / turnSeconds + epoch) % validators.length];
    }

    /// What was released and agreed; empty and zero before.
    function epochOf(uint64 epoch) external view returns (bytes32 root, uint64 closesAt, address[] memory validators) {
        Epoch storage released = epochs[epoch];
        return (released.root, released.closesAt, released.validators);
    }

    /// Zero if the signature is none.
    function recover(bytes32 digest, bytes calldata signature) private pure returns (address) {
        if (signature.length != 65) return address(0);
        return ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
    }
}
